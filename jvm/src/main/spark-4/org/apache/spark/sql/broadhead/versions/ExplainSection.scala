package org.apache.spark.sql.broadhead.versions

import org.apache.spark.sql.ExtendedExplainGenerator

/** A section of Spark's `explain`. */
trait ExplainSection extends ExtendedExplainGenerator
