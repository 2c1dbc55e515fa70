package org.apache.spark.sql.broadhead

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * What a fragment needs to run.
 *
 * @param json the fragment in the wire format
 * @param rootId node id of the root, under which the metrics of the whole fragment are reported
 * @param output what the root gives, in order
 * @param scans node id and planned scan of each Parquet source; its splits are Spark's
 * @param rowSources operators whose rows or batches the JVM sends, by the source's number
 * @param metrics metric of a node by `(node id).(metric)`; `(root id).replays` counts tasks
 *                that Spark ran in the engine's place
 * @param original the operators that the fragment replaced, for replay. Its leaves over row
 *                 sources are [[BroadheadReplaySource]]s, so that planner rules leave what is
 *                 under them alone
 */
case class EncodedFragment(
    json: String,
    rootId: Int,
    output: Seq[Attribute],
    scans: Seq[(Int, FileSourceScanExec)],
    rowSources: Seq[SparkPlan],
    metrics: Map[String, SQLMetric],
    original: SparkPlan)
