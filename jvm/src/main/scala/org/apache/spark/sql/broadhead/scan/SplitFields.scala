package org.apache.spark.sql.broadhead.scan

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.sql.execution.datasources.PartitionedFile

/** The values that splits have for columns which are not read from the files. */
private[broadhead] trait SplitFields extends Serializable {

  /** The fields of a split in the task header; made in the task. */
  def encode(file: PartitionedFile): Seq[(String, JsonNode)]
}
