package io.broadhead

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}

/** The version and the path of this jar. */
object BuildInfo {

  /** Version of the jar, which is also that of the Python package in it. */
  val version: String = resource("version").trim

  /** The jar, or the folder of classes if there is none; the same on driver and executors. */
  def jar: Path = Paths.get(getClass.getProtectionDomain.getCodeSource.getLocation.toURI)

  /** Text of a file of the Python package in the jar. */
  def resource(name: String): String = {
    val stream = getClass.getClassLoader.getResourceAsStream(s"broadhead/$name")
    if (stream == null) {
      throw new IllegalStateException(
        s"broadhead/$name is missing in $jar: the jar is damaged, build or install it again")
    }
    try new String(stream.readAllBytes(), UTF_8)
    finally stream.close()
  }

  /** The jar as an entry of Python's path; None if the classes are in a folder. */
  def pythonPath: Option[String] =
    Some(jar).filter(Files.isRegularFile(_)).map(_.toAbsolutePath.toString)
}
