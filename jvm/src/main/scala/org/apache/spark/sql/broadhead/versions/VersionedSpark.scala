package org.apache.spark.sql.broadhead.versions

import java.lang.reflect.{InvocationTargetException, Method}

import org.apache.spark.SparkConf
import org.apache.spark.internal.config.ConfigEntry
import org.apache.spark.sql.catalyst.ProjectingInternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, HashExpression, NamedExpression, PythonUDAF, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.execution.{SampleExec, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceRDDPartition
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf, StaticSQLConf}

/**
 * Classes of Spark whose parameters differ between the versions that one jar serves.
 *
 * Code compiled for one version does not link with the others, so these members are found by
 * reflection.
 */
private[broadhead] object VersionedSpark {
  private val SeedParameter = 3

  /**
   * The result of a companion's `apply`.
   *
   * @param known the first arguments in all versions; a version with fewer parameters does not
   *   have the last of them, one with more has defaults for them
   */
  def make[T](companion: AnyRef, known: Any*): T = withDefaults[T](companion, "apply", known)

  /** The result of a method that has more parameters in some versions, with defaults for these. */
  def withDefaults[T](target: AnyRef, name: String, known: Seq[Any]): T = {
    val method = longest(target, name)
    val count = method.getParameterCount
    val added = (known.length until count).map { index =>
      target.getClass.getMethod(s"$name$$default$$${index + 1}").invoke(target)
    }
    val arguments = known.take(count).map(_.asInstanceOf[AnyRef]) ++ added
    try method.invoke(target, arguments: _*).asInstanceOf[T]
    catch { case error: InvocationTargetException => throw error.getCause }
  }

  /** The inputs of a partition: all of a group in some versions, at most one in the others. */
  def inputsOf(partition: DataSourceRDDPartition): Seq[InputPartition] = {
    val names = Seq("inputPartitions", "inputPartition")
    val method = names.flatMap(name => partition.getClass.getMethods.find(_.getName == name)).head
    method.invoke(partition) match {
      case one: Option[_] => one.toList.map(_.asInstanceOf[InputPartition])
      case all => all.asInstanceOf[Seq[InputPartition]]
    }
  }

  /** The columns of a projection; the class of the list differs between versions. */
  def ordinalsOf(projection: ProjectingInternalRow): Seq[Int] =
    withDefaults[Seq[Int]](projection, "colOrdinals", Nil)

  /** How many queries Spark's UI keeps; the class of Spark's entry differs between versions. */
  def retainedExecutions(conf: SparkConf): Int =
    conf.get(withDefaults[ConfigEntry[Int]](StaticSQLConf, "UI_RETAINED_EXECUTIONS", Nil))

  /** Calls a method whose number of parameters differs between versions. */
  def call(target: AnyRef, name: String, arguments: Seq[Any]): Unit = {
    val method = target.getClass.getMethods
      .find(found => found.getName == name && found.getParameterCount == arguments.length)
      .getOrElse(throw new NoSuchMethodException(s"${target.getClass.getName}.$name"))
    try {
      method.invoke(target, arguments.map(_.asInstanceOf[AnyRef]): _*)
      ()
    } catch { case error: InvocationTargetException => throw error.getCause }
  }

  /**
   * Whether an operator keeps state between the batches of a stream: its partitions are fixed by
   * the state, so nothing around it may change. The trait's package differs between versions.
   */
  def isStateful(plan: SparkPlan): Boolean =
    superclasses(plan.getClass).exists(
      _.getInterfaces.exists(_.getSimpleName == "StatefulOperator"))

  private def superclasses(of: Class[_]): Seq[Class[_]] =
    Iterator.iterate[Class[_]](of)(_.getSuperclass).takeWhile(_ != null).toList

  /** The scan with some of its fields changed. */
  def copyOf[P <: SparkPlan](scan: P, changes: Map[String, AnyRef]): P = {
    val fields = ProductNames.of(scan).zip(scan.productIterator.toList).map {
      case (name, value) => changes.getOrElse(name, value.asInstanceOf[AnyRef])
    }
    val copy = scan.makeCopy(fields.toArray).asInstanceOf[P]
    copy.copyTagsFrom(scan)
    copy
  }

  /**
   * Whether patterns of dates and times are those of Java's `SimpleDateFormat`. The value is a
   * string in Spark 4.0 and an enum later, so its text is read.
   */
  def hasLegacyTimeParser(conf: SQLConf): Boolean =
    timeParserPolicy(conf).equalsIgnoreCase(LegacyBehaviorPolicy.LEGACY.toString)

  /** Whether texts that do not fit a pattern are never tried by the old parser, too. */
  def hasCorrectedTimeParser(conf: SQLConf): Boolean =
    timeParserPolicy(conf).equalsIgnoreCase(LegacyBehaviorPolicy.CORRECTED.toString)

  private def timeParserPolicy(conf: SQLConf): String =
    conf.getConfString(SQLConf.LEGACY_TIME_PARSER_POLICY.key)

  /** Whether a hash is the function that knows collations. */
  def knowsCollations(hash: HashExpression[_]): Boolean = hash match {
    case product: Product => product.productPrefix == CollationAwareHash
    case _ => false
  }

  private val CollationAwareHash = "CollationAwareMurmur3Hash"

  /** Whether Spark partitions strings with a collation by their keys; 4.0.0 does not. */
  lazy val hashesCollationKeys: Boolean =
    try {
      Class.forName(s"org.apache.spark.sql.catalyst.expressions.$CollationAwareHash")
      true
    } catch { case _: ClassNotFoundException => false }

  /** The seed of a sample; without a seed of the user, Spark 4.2 and later draw one for each plan. */
  def seedOf(sample: SampleExec): Long = sample.productElement(SeedParameter) match {
    case seed: Long => seed
    case _ => classOf[SampleExec].getMethod("resolvedSeed").invoke(sample).asInstanceOf[Long]
  }

  /** A sample with this seed. */
  def sample(
      lower: Double,
      upper: Double,
      withReplacement: Boolean,
      seed: Long,
      child: SparkPlan): SampleExec = {
    val optional =
      longest(SampleExec, "apply").getParameterTypes.apply(SeedParameter) == classOf[Option[_]]
    make[SampleExec](
      SampleExec,
      lower,
      upper,
      withReplacement,
      if (optional) Some(seed) else seed,
      child)
  }

  /** Spark's name of an operator, without `Exec`. */
  def operatorName(plan: SparkPlan): String =
    plan.getClass.getSimpleName.stripSuffix("Exec")

  /** A field of an operator whose class differs between versions. */
  def field[T](plan: SparkPlan, name: String): T = {
    val position = ProductNames.of(plan).indexOf(name)
    if (position < 0) {
      throw new NoSuchFieldException(s"${plan.getClass.getName} has no field $name")
    }
    plan.productElement(position).asInstanceOf[T]
  }

  /** Whether the operator computes aggregate functions of the user in Python. */
  def isAggregateInPython(plan: SparkPlan): Boolean = plan.getClass == aggregateInPython

  /** Whether the operator computes window functions of the user in Python. */
  def isWindowInPython(plan: SparkPlan): Boolean = plan.getClass == windowInPython

  /** Spark's aggregation by Python functions. */
  def aggregateInPython(
      grouping: Seq[NamedExpression],
      aggregates: Seq[AggregateExpression],
      results: Seq[NamedExpression],
      child: SparkPlan): SparkPlan =
    pythonExec(
      aggregateInPython,
      Seq(grouping, aggregates, results, child),
      aggregates.head.aggregateFunction.asInstanceOf[PythonUDAF].evalType)

  /** Spark's window operator of Python functions. */
  def windowInPython(
      windows: Seq[NamedExpression],
      partition: Seq[Expression],
      order: Seq[SortOrder],
      child: SparkPlan,
      evalType: Int): SparkPlan =
    pythonExec(windowInPython, Seq(windows, partition, order, child), evalType)

  /** The eval type became a parameter in Spark 4.1. */
  private def pythonExec(kind: Class[_], known: Seq[Any], evalType: Int): SparkPlan = {
    val constructor = kind.getConstructors.head
    val arguments = (known :+ evalType).take(constructor.getParameterCount)
    constructor.newInstance(arguments.map(_.asInstanceOf[AnyRef]): _*).asInstanceOf[SparkPlan]
  }

  private lazy val aggregateInPython: Class[_] =
    pythonExec("ArrowAggregatePythonExec", "AggregateInPandasExec")

  private lazy val windowInPython: Class[_] =
    pythonExec("ArrowWindowPythonExec", "WindowInPandasExec")

  private def pythonExec(names: String*): Class[_] = {
    val found = names.iterator.flatMap { name =>
      try Seq[Class[_]](Class.forName(s"org.apache.spark.sql.execution.python.$name"))
      catch { case _: ClassNotFoundException => Nil }
    }
    found.next()
  }

  private def longest(target: AnyRef, name: String): Method =
    target.getClass.getMethods
      .filter(method => method.getName == name && !method.isBridge)
      .maxBy(_.getParameterCount)
}
