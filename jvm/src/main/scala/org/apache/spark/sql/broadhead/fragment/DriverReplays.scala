package org.apache.spark.sql.broadhead.fragment

import java.lang.ref.{ReferenceQueue, WeakReference}
import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.ConcurrentHashMap
import java.util.Properties

import scala.annotation.tailrec

import org.apache.spark.{NarrowDependency, Partition, SparkEnv, SparkException, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.rpc.{RpcCallContext, RpcEndpoint, RpcEnv}
import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.util.{RpcUtils, ThreadUtils, Utils}

/**
 * Spark's own operators for a fragment, as its tasks see them.
 *
 * Tasks rarely need them, and creating them takes the driver longer than everything else for a
 * fragment. So a task requests them when it needs them.
 */
private[broadhead] class Replay(@transient private val driver: DriverReplay)
    extends Serializable {
  private val id = DriverReplays.add(driver)

  /** The rows of some partitions of the operators. */
  def rows(partitions: Seq[Int], context: TaskContext): Iterator[InternalRow] = {
    val (rdd, members) = ReplayResponse.read(DriverReplays.ask(ReplayRequest(id, partitions)))
    members.iterator.flatMap(rdd.iterator(_, context))
  }
}

/**
 * The operators on the driver.
 *
 * @param tasks number of partitions that they must have
 */
private[broadhead] class DriverReplay(
    plan: => SparkPlan,
    session: CompiledSpark.Session,
    tasks: Int) {
  private val context = session.sparkContext
  private val properties: Properties = Utils.cloneProperties(context.getLocalProperties)

  private lazy val rdd: RDD[InternalRow] = {
    // Operators belong to the session that is active when they are created.
    val made = session.withActive(plan.execute())
    require(
      made.getNumPartitions == tasks,
      s"a fragment has $tasks tasks, but Spark's operators have ${made.getNumPartitions}")
    findParents(made)
    made
  }

  /** Computes the parents of RDDs, like Spark's scheduler: a union cannot do so in a task. */
  private def findParents(rdd: RDD[_]): Unit = rdd.dependencies.foreach {
    case narrow: NarrowDependency[_] => findParents(narrow.rdd)
    case _ =>
  }

  /** The operators and those of their partitions, serialized. */
  def answer(partitions: Seq[Int]): Array[Byte] = {
    val before = context.getLocalProperties
    context.setLocalProperties(properties)
    try ReplayResponse.write(rdd, partitions.map(rdd.partitions(_)))
    finally context.setLocalProperties(before)
  }
}

/** A task's request to the driver. */
private[broadhead] case class ReplayRequest(id: Long, partitions: Seq[Int])

private object ReplayResponse {

  def write(rdd: RDD[InternalRow], partitions: Seq[Partition]): Array[Byte] = {
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize((rdd, partitions))
    val bytes = new Array[Byte](buffer.remaining())
    buffer.get(bytes)
    bytes
  }

  /** In the task's thread, so that the metrics of the operators are the task's. */
  def read(bytes: Array[Byte]): (RDD[InternalRow], Seq[Partition]) =
    SparkEnv.get.closureSerializer
      .newInstance()
      .deserialize[(RDD[InternalRow], Seq[Partition])](
        ByteBuffer.wrap(bytes),
        Thread.currentThread().getContextClassLoader)
}

/** The replays that tasks can request: as long as their fragments' RDDs are in use. */
private object DriverReplays {
  private val Endpoint = "broadhead-replays"

  private val ids = new AtomicLong()
  private val known = new ConcurrentHashMap[Long, KnownReplay]()
  private val unused = new ReferenceQueue[DriverReplay]()
  private var served: Option[RpcEnv] = None

  /** Registers a replay; returns its number. */
  def add(replay: DriverReplay): Long = {
    serve(SparkEnv.get.rpcEnv)
    forgetUnused()
    val id = ids.incrementAndGet()
    known.put(id, new KnownReplay(id, replay))
    id
  }

  /** Asks the driver; throws the driver's exception. */
  def ask(request: ReplayRequest): Array[Byte] = {
    val env = SparkEnv.get
    val driver = RpcUtils.makeDriverRef(Endpoint, env.conf, env.rpcEnv)
    try driver.askSync[Array[Byte]](request)
    catch {
      case error: SparkException if error.getCause != null => throw error.getCause
    }
  }

  private def answer(request: ReplayRequest): Array[Byte] =
    Option(known.get(request.id)).flatMap(replay => Option(replay.get)) match {
      case Some(replay) => replay.answer(request.partitions)
      case None =>
        throw new IllegalStateException(
          s"Spark's operators of fragment ${request.id} are no longer kept: its query has ended")
    }

  private def serve(env: RpcEnv): Unit = synchronized {
    if (!served.contains(env)) {
      env.setupEndpoint(Endpoint, new ReplayEndpoint(env))
      served = Some(env)
    }
  }

  @tailrec
  private def forgetUnused(): Unit = unused.poll() match {
    case null =>
    case replay =>
      known.remove(replay.asInstanceOf[KnownReplay].id)
      forgetUnused()
  }

  private class KnownReplay(val id: Long, replay: DriverReplay)
      extends WeakReference[DriverReplay](replay, unused)

  /** The endpoint of Spark's own RPC between executors and the driver. */
  private class ReplayEndpoint(override val rpcEnv: RpcEnv) extends RpcEndpoint {

    // Creating operators may wait for subqueries, which the threads of the RPC must not do.
    private val threads = ThreadUtils.newDaemonCachedThreadPool(Endpoint, maxThreadNumber = 8)

    override def receiveAndReply(call: RpcCallContext): PartialFunction[Any, Unit] = {
      case request: ReplayRequest =>
        threads.execute { () =>
          try call.reply(answer(request))
          catch { case error: Throwable => call.sendFailure(error) }
        }
    }

    override def onStop(): Unit = {
      threads.shutdownNow()
      ()
    }
  }
}
