package org.apache.spark.sql.broadhead.write

import scala.util.Try

import io.broadhead.Settings

import org.apache.spark.sql.broadhead.encoding.Reasons
import org.apache.spark.sql.broadhead.versions.Optional
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.ExecutedCommandExec
import org.apache.spark.sql.types.StructType

/**
 * What `explain` says of Delta Lake's commands, which plan and write their rows when they run: the
 * files are encoded in the fragment of these rows ([[DeltaWrites]]), unless the table needs more.
 */
private[broadhead] object DeltaCommands {
  private val Commands = "org.apache.spark.sql.delta.commands."
  private val Table = "org.apache.spark.sql.delta.catalog.DeltaTableV2"
  private val Index = "org.apache.spark.sql.delta.files.TahoeFileIndex"

  private val Merge = "MergeIntoCommand"
  private val Insert = "WriteIntoDelta"
  private val Writing =
    Set(Merge, Insert, "UpdateCommand", "DeleteCommand", "OptimizeTableCommand")

  /** How its files are written, for `explain`. */
  val Note = "files are encoded in the fragment that gives the command its rows, if one does"

  /** Why Delta Lake encodes the files of a command; none for other plans. */
  def reasonsOf(plan: SparkPlan): Option[Seq[String]] = plan match {
    case ExecutedCommandExec(command) =>
      val name = command.getClass.getName.stripPrefix(Commands)
      Optional.when(Writing(name))(reasons(plan, command, name))
    case command if command.nodeName.contains("V1") && membersOf(command).exists(isTable) =>
      Some(reasons(plan, command, Insert))
    case _ => None
  }

  private def reasons(plan: SparkPlan, command: Product, name: String): Seq[String] = {
    val settings = new Settings(plan.conf)
    Reasons.when(!settings.enabled)(s"${Settings.Enabled.key} is false") ++
      Reasons.when(!settings.operatorEnabled(WriteFilesCase.name))(
        s"switched off by spark.broadhead.operator.${WriteFilesCase.name}.enabled") ++
      metadataOf(command).toSeq.flatMap(metadata => Try(rules(metadata, name)).getOrElse(Nil))
  }

  private def rules(metadata: AnyRef, command: String): Seq[String] = {
    val settings = call(metadata, "configuration").asInstanceOf[Map[String, String]]
    val schema = call(metadata, "schema").asInstanceOf[StructType]
    def marked(key: String) = schema.exists(_.metadata.contains(key))
    val isChecked = settings.keys.exists(_.startsWith("delta.constraints.")) ||
      schema.exists(!_.nullable) || marked("delta.invariants")
    // Values that an INSERT leaves out are computed, and need no check.
    val isGenerated = marked("delta.generationExpression") && command != Insert
    val isCounted = marked("delta.identity.start") && (command == Insert || command == Merge)
    Reasons.when(isChecked || isGenerated)(
      "Delta Lake checks each row: constraints, NOT NULL and generated columns") ++
      Reasons.when(isCounted)("Delta Lake counts the values of identity columns") ++
      Reasons.when(settings.get("delta.columnMapping.mode").exists(_ != "none"))(
        "the files of mapped columns (delta.columnMapping.mode) have field ids")
  }

  /** What the log says of the table of a command. */
  private def metadataOf(command: Product): Option[AnyRef] =
    membersOf(command).collectFirst {
      case table if isTable(table) => call(call(table, "initialSnapshot"), "metadata")
      case index if isA(index, Index) =>
        call(call(call(index, "deltaLog"), "unsafeVolatileSnapshot"), "metadata")
    }

  /** The members of a command, and those of the plans among them. */
  private def membersOf(command: Product): Seq[AnyRef] = {
    val own = command.productIterator.collect { case member: AnyRef => member }.toList
    own ++ own.collect { case plan: LogicalPlan =>
      plan.productIterator.collect { case member: AnyRef => member }
    }.flatten
  }

  private def isTable(member: AnyRef): Boolean = isA(member, Table)

  private def isA(member: AnyRef, name: String): Boolean =
    Iterator
      .iterate[Class[_]](member.getClass)(_.getSuperclass)
      .takeWhile(_ != null)
      .exists(_.getName == name)

  private def call(target: AnyRef, name: String): AnyRef =
    target.getClass.getMethod(name).invoke(target)
}
