package org.apache.spark.sql.broadhead.scan.iceberg

import org.apache.iceberg.spark.source.SparkBatchQueryScan

import org.apache.spark.sql.broadhead.planning.HandMadePlans
import org.apache.spark.sql.broadhead.scan.batch.BatchScanFiles
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.types.StructType

class IcebergFilesSuite extends HandMadePlans {
  private def reason(scan: Scan): String =
    BatchScanFiles.of(BatchScanExec(Seq(key), scan, Nil, table = null)).left.getOrElse("")

  test("a version of Iceberg without the members that are needed stays with Spark") {
    val found = reason(new SparkBatchQueryScan)
    assert(found.startsWith("this version of Iceberg is not supported: "), found)
    assert(found.contains("ClassNotFoundException"), found)
  }

  test("a data source that nobody knows stays with Spark") {
    val unknown = new Scan { override def readSchema(): StructType = new StructType }
    assert(reason(unknown).endsWith("are its data source's"), reason(unknown))
  }
}
