package org.apache.spark.sql.broadhead.ui

import org.apache.spark.SparkConf
import org.apache.spark.scheduler.{SparkListener, SparkListenerEvent, SparkListenerJobStart, SparkListenerTaskEnd}
import org.apache.spark.sql.broadhead.application._
import org.apache.spark.sql.broadhead.versions.VersionedSpark
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd
import org.apache.spark.status.{ElementTrackingStore, KVUtils}
import org.apache.spark.util.kvstore.KVStoreView

/** Keeps the newest events of Broadhead in the store of Spark's UI. */
private[ui] class BroadheadStatusListener(conf: SparkConf, store: ElementTrackingStore)
    extends SparkListener {

  private val retained = VersionedSpark.retainedExecutions(conf).toLong

  store.addTrigger(classOf[PlanData], retained) { count =>
    oldest(store.view(classOf[PlanData]), count - retained).foreach { data =>
      store.delete(classOf[PlanData], data.executionId)
    }
  }
  store.addTrigger(classOf[TimesData], retained) { count =>
    oldest(store.view(classOf[TimesData]), count - retained).foreach { data =>
      store.delete(classOf[TimesData], data.executionId)
    }
  }
  store.addTrigger(classOf[ExecutorData], BroadheadStatusListener.MostExecutors) { count =>
    val excess = count - BroadheadStatusListener.MostExecutors
    oldest(store.view(classOf[ExecutorData]).index("time"), excess).foreach { data =>
      store.delete(classOf[ExecutorData], data.executor)
    }
  }

  private val times = new TaskTimes

  override def onJobStart(event: SparkListenerJobStart): Unit = times.start(event)

  override def onTaskEnd(event: SparkListenerTaskEnd): Unit = times.add(event)

  override def onOtherEvent(event: SparkListenerEvent): Unit = event match {
    case state: BroadheadStateEvent => store.write(new StateData(state))
    case executor: BroadheadExecutorEvent => write(new ExecutorData(executor))
    case plan: BroadheadPlanEvent => write(new PlanData(plan))
    case end: SparkListenerSQLExecutionEnd => times.end(end.executionId).foreach(write)
    case _ =>
  }

  private def write(data: Any): Unit = {
    store.write(data, checkTriggers = true)
    ()
  }

  private def oldest[T](view: KVStoreView[T], count: Long): Seq[T] =
    KVUtils.viewToSeq(view, count.max(0).toInt)(_ => true)
}

private object BroadheadStatusListener {

  /** Reports of executors that are kept, of lost ones too. */
  val MostExecutors = 1000L
}
