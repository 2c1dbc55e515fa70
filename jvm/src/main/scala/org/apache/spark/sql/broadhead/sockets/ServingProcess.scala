package org.apache.spark.sql.broadhead.sockets

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8
import java.util.concurrent.{CompletableFuture, TimeUnit}

import scala.jdk.CollectionConverters._

/** A process of ours that serves a socket until its input ends. */
private[broadhead] object ServingProcess {
  private val StartSeconds = 120L

  /** Returns once it has printed `ready`; raises IOException if it does not. */
  def start(command: Seq[String], variables: Map[String, String]): Process = {
    val builder = new ProcessBuilder(command.asJava)
    builder.environment().putAll(variables.asJava)
    builder.redirectError(ProcessBuilder.Redirect.INHERIT)
    val process = builder.start()
    val answer = CompletableFuture
      .supplyAsync(() => process.inputReader(UTF_8).readLine())
      .completeOnTimeout(s"nothing in $StartSeconds s", StartSeconds, TimeUnit.SECONDS)
      .get()
    if (answer != "ready") {
      process.destroyForcibly()
      throw new IOException(s"${command.head} printed $answer instead of ready")
    }
    process
  }
}
