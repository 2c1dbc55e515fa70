// The jar that users get is compiled by jvm/compile.py with the Scala compiler inside PySpark.
// This build compiles the same sources against Maven's Spark, for IDEs, Scala tests and scalafmt.

val sparkVersion = "4.1.3"
val sparkMinor = sparkVersion.split('.').take(2).mkString(".")

def projectVersion(pyproject: File): String = {
  val line = """version = "([^"]+)"""".r
  IO.readLines(pyproject).collectFirst { case line(version) => version }.getOrElse {
    sys.error(s"$pyproject has no line that sets the version")
  }
}

lazy val broadhead = (project in file("."))
  .settings(
    name := s"broadhead_spark$sparkMinor",
    organization := "io.broadhead",
    version := projectVersion(baseDirectory.value / "pyproject.toml"),
    scalaVersion := "2.13.17",
    target := baseDirectory.value / "jvm" / "target",
    Compile / scalaSource := baseDirectory.value / "jvm" / "src" / "main" / "scala",
    Compile / javaSource := baseDirectory.value / "jvm" / "src" / "main" / "java",
    Compile / resourceDirectory := baseDirectory.value / "jvm" / "src" / "main" / "resources",
    Test / scalaSource := baseDirectory.value / "jvm" / "src" / "test" / "scala",
    Test / resourceDirectory := baseDirectory.value / "jvm" / "src" / "test" / "resources",
    Compile / resourceGenerators += Def.task {
      val folder = (Compile / resourceManaged).value / "broadhead"
      val capabilities = baseDirectory.value / "python" / "broadhead" / "capabilities.json"
      IO.write(folder / "version", version.value)
      IO.copyFile(capabilities, folder / capabilities.getName)
      Seq(folder / "version", folder / capabilities.getName)
    }.taskValue,
    libraryDependencies ++= Seq(
      "org.apache.spark" %% "spark-sql" % sparkVersion % Provided,
      "org.scalameta" %% "munit" % "1.2.1" % Test
    ),
    scalacOptions ++= Seq("-release", "17", "-deprecation", "-feature", "-Xlint", "-Werror"),
    Test / fork := true,
    // Suites of planner rules have a session of Spark, which reaches into the JDK.
    Test / javaOptions ++= Seq("lang", "nio", "util", "util.concurrent", "net").map { name =>
      s"--add-opens=java.base/java.$name=ALL-UNNAMED"
    } ++ Seq("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-XX:TieredStopAtLevel=1")
  )
