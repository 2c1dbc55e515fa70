package org.apache.spark.sql.broadhead.application

import com.fasterxml.jackson.databind.JsonNode

import org.apache.spark.SparkConf
import org.apache.spark.sql.broadhead.encoding.Json

/**
 * A GPU of an executor.
 *
 * @param name that of the model
 * @param address what Spark calls it in the resource `gpu`
 * @param device the value of CUDA_VISIBLE_DEVICES with which a process sees it alone
 */
private[broadhead] case class Gpu(name: String, address: String, device: String) {

  /** The variables with which a process sees this GPU alone. */
  def environment: Map[String, String] =
    if (device.isEmpty) Map.empty
    else if (isNumber && !sys.env.contains(Gpu.Visible)) numbered
    else Map(Gpu.Visible -> device)

  /** Whether it is known by a number, which depends on what else a process sees. */
  def isNumber: Boolean = device.forall(_.isDigit)

  private def numbered: Map[String, String] =
    Map(Gpu.Visible -> device, "CUDA_DEVICE_ORDER" -> "PCI_BUS_ID")

  def toJson: JsonNode = Json.obj(
    "name" -> Json.text(name),
    "address" -> Json.text(address),
    "device" -> Json.text(device))
}

private[broadhead] object Gpu {

  /** The variable that says which devices a process sees. */
  val Visible = "CUDA_VISIBLE_DEVICES"

  /** The resource of Spark. */
  val Resource = "gpu"

  /** Whatever a process sees, where the probe has found nothing. */
  val Unknown: Gpu = Gpu("", "", "")

  def fromJson(node: JsonNode): Gpu =
    Gpu(node.path("name").asText, node.path("address").asText, node.path("device").asText)

  /** The user's own choice for the workers, which need not be that of this process. */
  def chosenByUser(conf: SparkConf): Map[String, String] =
    Seq(Visible, "CUDA_DEVICE_ORDER").flatMap { name =>
      conf.getOption(s"spark.executorEnv.$name").map(name -> _)
    }.toMap
}
