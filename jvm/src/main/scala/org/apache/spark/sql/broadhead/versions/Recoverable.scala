package org.apache.spark.sql.broadhead.versions

import scala.util.control.NonFatal

/**
 * Errors of Broadhead after which Spark's own operators can run.
 *
 * They include `LinkageError`: classes of another Spark than the jar was built for.
 */
private[broadhead] object Recoverable {

  def unapply(error: Throwable): Option[Throwable] = error match {
    case NonFatal(_) | _: LinkageError => Some(error)
    case _ => None
  }
}
