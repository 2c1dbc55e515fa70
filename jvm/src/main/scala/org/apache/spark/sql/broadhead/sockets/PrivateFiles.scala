package org.apache.spark.sql.broadhead.sockets

import java.io.{File, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.attribute.PosixFilePermissions
import java.nio.file.{Files, Path}

import scala.util.Try

/** Files and directories that only the user can read, write or enter. */
private[broadhead] object PrivateFiles {
  private val OwnerFile =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  private val OwnerDirectory =
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))

  /** The path of a Unix socket has at most 107 bytes on Linux, 103 on macOS; our names need 39. */
  private val MaxSocketParentBytes = 64

  def file(path: Path): Path = Files.createFile(path, OwnerFile)

  /** A new directory with an unpredictable name, so that nobody can create it first, or a link. */
  def directory(parent: Path, prefix: String): Path =
    Files.createTempDirectory(parent, prefix, OwnerDirectory)

  /**
   * A new directory for Unix sockets.
   *
   * It is not in Spark's local directories, whose paths may be too long. If the disk of the
   * temporary directory is full, memory has space for sockets.
   */
  def socketDirectory(prefix: String): Path = {
    val parents = Seq(System.getProperty("java.io.tmpdir"), "/tmp", "/dev/shm").distinct
      .filter(_.getBytes(UTF_8).length <= MaxSocketParentBytes)
    val made = parents.iterator.map(parent => Try(directory(new File(parent).toPath, prefix)))
    made.find(_.isSuccess).map(_.get).getOrElse {
      throw new IOException(s"none of ${parents.mkString(", ")} takes a directory for sockets")
    }
  }
}
