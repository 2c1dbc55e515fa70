package org.apache.spark.sql.broadhead.broadcast

import java.lang.ref.WeakReference
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent}
import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd

/**
 * Lets executors and their workers drop broadcasts when a query that reads them ends, whether
 * with a result, an error or by cancellation. Spark itself would wait until the driver's garbage
 * collection finds that nothing refers to them.
 */
private class EndedQueries(val context: SparkContext) extends SparkListener {
  private val read = new ConcurrentHashMap[Long, Seq[WeakReference[BroadcastContent]]]()

  def add(execution: Long, content: BroadcastContent): Unit = {
    read.merge(execution, Seq(new WeakReference(content)), _ ++ _)
    ()
  }

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case end: SparkListenerSQLExecutionEnd =>
      for {
        contents <- Option(read.remove(end.executionId))
        content <- contents.flatMap(reference => Option(reference.get()))
      } content.release()
    case _ =>
  }
}

private[broadhead] object EndedQueries {
  private var current: Option[EndedQueries] = None

  /** Records that the query of this thread reads a broadcast. */
  def willRelease(content: BroadcastContent, context: SparkContext): Unit =
    Option(context.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)).foreach { execution =>
      of(context).add(execution.toLong, content)
    }

  private def of(context: SparkContext): EndedQueries = synchronized {
    current.filter(_.context eq context).getOrElse {
      val made = new EndedQueries(context)
      context.addSparkListener(made)
      current = Some(made)
      made
    }
  }
}
