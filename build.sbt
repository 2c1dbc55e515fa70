// The jars that users get are compiled by jvm/compile.py with the Scala compilers inside PySpark.
// This build compiles the same sources against Maven's Spark, for IDEs, Scala tests and scalafmt:
// `broadhead` for Spark 4, and `spark35` and `spark35Scala213`, whose tests are those of tests/.

def projectVersion(pyproject: File): String = {
  val line = """version = "([^"]+)"""".r
  IO.readLines(pyproject).collectFirst { case line(version) => version }.getOrElse {
    sys.error(s"$pyproject has no line that sets the version")
  }
}

// What one version of Spark and of Scala takes: shared sources, those of its folders, resources.
def compiledFor(spark: String, family: String, scala: String) = Seq(
  name := s"broadhead_spark${spark.split('.').take(2).mkString(".")}",
  organization := "io.broadhead",
  version := projectVersion((ThisBuild / baseDirectory).value / "pyproject.toml"),
  scalaVersion := scala,
  Compile / unmanagedSourceDirectories := {
    val main = (ThisBuild / baseDirectory).value / "jvm" / "src" / "main"
    val minor = scala.split('.').take(2).mkString(".")
    Seq(main / "scala", main / s"spark-$family", main / s"scala-$minor")
  },
  Compile / resourceDirectory :=
    (ThisBuild / baseDirectory).value / "jvm" / "src" / "main" / "resources",
  Compile / resourceGenerators += Def.task {
    val root = (ThisBuild / baseDirectory).value
    val folder = (Compile / resourceManaged).value / "broadhead"
    val capabilities = root / "python" / "broadhead" / "capabilities.json"
    IO.write(folder / "version", version.value)
    IO.copyFile(capabilities, folder / capabilities.getName)
    Seq(folder / "version", folder / capabilities.getName)
  }.taskValue,
  libraryDependencies += "org.apache.spark" %% "spark-sql" % spark % Provided,
  scalacOptions ++= Seq("-release", "17", "-deprecation", "-feature", "-Xlint") :+
    (if (scala.startsWith("2.12")) "-Xfatal-warnings" else "-Werror")
)

lazy val broadhead = (project in file("."))
  .settings(compiledFor("4.1.3", "4", "2.13.17"))
  .settings(
    target := baseDirectory.value / "jvm" / "target",
    Test / scalaSource := baseDirectory.value / "jvm" / "src" / "test" / "scala",
    Test / resourceDirectory := baseDirectory.value / "jvm" / "src" / "test" / "resources",
    libraryDependencies += "org.scalameta" %% "munit" % "1.2.1" % Test,
    Test / fork := true,
    // Suites of planner rules have a session of Spark, which reaches into the JDK.
    Test / javaOptions ++= Seq("lang", "nio", "util", "util.concurrent", "net").map { name =>
      s"--add-opens=java.base/java.$name=ALL-UNNAMED"
    } ++ Seq("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-XX:TieredStopAtLevel=1")
  )

lazy val spark35 = (project in file("jvm/target/sbt-spark3.5_2.12"))
  .settings(compiledFor("3.5.6", "3.5", "2.12.18"))

lazy val spark35Scala213 = (project in file("jvm/target/sbt-spark3.5_2.13"))
  .settings(compiledFor("3.5.6", "3.5", "2.13.8"))
