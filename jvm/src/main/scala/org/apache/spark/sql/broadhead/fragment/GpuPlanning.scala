package org.apache.spark.sql.broadhead.fragment

import java.util.Arrays

import io.broadhead.Settings

import org.apache.spark.api.python.PythonFunction
import org.apache.spark.sql.broadhead.application.BroadheadState
import org.apache.spark.sql.broadhead.encoding.TypeNames
import org.apache.spark.sql.broadhead.gpu.{ExecutionTarget, GpuUse}
import org.apache.spark.sql.broadhead.versions.Optional

/** Which tasks of a fragment use a GPU. */
private[broadhead] object GpuPlanning {

  /** The first use of a GPU in a process takes seconds, in which the CPU reads this much. */
  private val AtStart = 32L << 20

  /** Loading cuDF for Python functions takes many seconds more. */
  private val AtStartWithFunctions = 256L << 20

  /** For the tasks of a fragment; None without a GPU, or if no node can run on it. */
  def of(fragment: EncodedFragment, settings: Settings): Option[GpuUse] =
    Optional.when(BroadheadState.mayUseGpu(settings) && computes(fragment)) {
      val targets = fragment.functionTargets
      val always = settings.device == "gpu" || targets.contains(ExecutionTarget.DeviceOnly)
      val calls = targets.exists(_.onDevice)
      val atStart = if (calls) AtStartWithFunctions else AtStart
      GpuUse(
        if (always) 0L else settings.gpuMinBytes,
        if (always) 0L else math.max(settings.gpuMinBytes, atStart),
        settings.gpuConcurrentTasks,
        Optional.when(calls)(hash(fragment.pythonFunctions)))
    }

  private def hash(functions: Seq[PythonFunction]): Int =
    functions.map(function => Arrays.hashCode(function.command.toArray)).hashCode

  /** Whether the fragment computes on a GPU; the worker runs other fragments on the CPU. */
  private def computes(fragment: EncodedFragment): Boolean =
    !fragment.root.isInstanceOf[FragmentSource] &&
      !fragment.functionTargets.contains(ExecutionTarget.Host) &&
      !fragment.nodes.exists(_.output.exists(column => TypeNames.isNested(column.dataType)))
}
