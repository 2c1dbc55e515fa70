package org.apache.spark.sql.broadhead.application

import scala.util.control.NonFatal

/**
 * Errors of Broadhead that Spark's own operators can make good.
 *
 * Classes of another Spark than the jar was made for, which is a `LinkageError`, are among them.
 */
private[broadhead] object Recoverable {

  def unapply(error: Throwable): Option[Throwable] = error match {
    case NonFatal(_) | _: LinkageError => Some(error)
    case _ => None
  }
}
