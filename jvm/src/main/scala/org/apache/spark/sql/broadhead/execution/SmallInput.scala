package org.apache.spark.sql.broadhead.execution

/** Tasks that Spark's operators end in less time than a worker needs to start. */
private[broadhead] object SmallInput {

  /** Spark reads this much of Parquet in half a second, and a worker starts in two or three. */
  private val MaxBytes = 16L << 20

  /** Whether the sizes of all inputs of a task are known, and small together. */
  def is(program: FragmentProgram, partition: FragmentPartition): Boolean = {
    // Other leaves make their rows themselves.
    val reads = partition.parts.size == partition.blocks.count(_._2.nonEmpty)
    // Spark's operators start workers themselves for the user's functions.
    if (program.workers.functions.isEmpty && reads) {
      val sources = program.sources.zipWithIndex.map { case (source, number) =>
        source.bytes(partition, number)
      }
      val files = partition.files.values.flatten.map(_.length).sum
      sources.forall(_.isDefined) && files + sources.flatten.sum <= MaxBytes
    } else {
      false
    }
  }
}
