package org.apache.spark.sql.broadhead.encoding

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** A generator in the wire format: its name, and its inputs. */
private[broadhead] case class GeneratorForm(name: String, children: Seq[Expression])

/** Converts Spark's generators. Collections of a known size become stacks of values. */
private[broadhead] object GeneratorForm {
  private val Stack = "Stack"

  /** A plan with more values would be larger than the rows. */
  private val MaxValues = 1000

  /** The form; None for an unsupported generator. */
  def of(generator: Generator): Option[GeneratorForm] = generator match {
    case Explode(collection) => Some(exploded(collection))
    case PosExplode(collection) =>
      val form = exploded(collection)
      Some(if (form.name == Stack) numbered(form, width(collection)) else form.copy("PosExplode"))
    case Inline(collection) =>
      val rows = elements(collection).flatMap(all => allOf(all.map(fields)))
      Some(rows.flatMap(stacked).getOrElse(GeneratorForm("Inline", Seq(collection))))
    case stack: org.apache.spark.sql.catalyst.expressions.Stack => ofStack(stack)
    case ReplicateRows(children) => Some(GeneratorForm("ReplicateRows", children))
    case _ => None
  }

  private def exploded(collection: Expression): GeneratorForm = {
    val rows = collection.dataType match {
      case _: MapType => entries(collection)
      case _ => elements(collection).map(_.map(Seq(_)))
    }
    rows.flatMap(stacked).getOrElse(GeneratorForm("Explode", Seq(collection)))
  }

  private def width(collection: Expression): Int =
    if (collection.dataType.isInstanceOf[MapType]) 2 else 1

  private def stacked(rows: Seq[Seq[Expression]]): Option[GeneratorForm] = {
    val values = rows.flatten
    if (values.isEmpty || values.length > MaxValues) None
    else Some(GeneratorForm(Stack, Literal(rows.length) +: values))
  }

  /** The same rows with their number before them. */
  private def numbered(form: GeneratorForm, width: Int): GeneratorForm = {
    val rows = form.children.tail.grouped(width).toList
    val values = rows.zipWithIndex.flatMap { case (row, position) => Literal(position) +: row }
    form.copy(children = form.children.head +: values)
  }

  /** Null values get the type of their column. */
  private def ofStack(
      stack: org.apache.spark.sql.catalyst.expressions.Stack): Option[GeneratorForm] =
    stack.children.head match {
      case rows @ Literal(count: Int, IntegerType) if count > 0 =>
        val types = stack.elementSchema.fields.map(_.dataType)
        val values = stack.children.tail.zipWithIndex.map {
          case (Literal(null, NullType), index) => Literal(null, types(index % types.length))
          case (value, _) => value
        }
        Some(GeneratorForm(Stack, rows +: values))
      case _ => None
    }

  private def elements(collection: Expression): Option[Seq[Expression]] =
    ExpressionEncoder.strip(collection) match {
      case CreateArray(values, _) => Some(values)
      case Literal(array: ArrayData, ArrayType(element, _)) if array.numElements() <= MaxValues =>
        Some(literals(array, element))
      case _ => None
    }

  private def entries(collection: Expression): Option[Seq[Seq[Expression]]] =
    ExpressionEncoder.strip(collection) match {
      case Literal(map: MapData, MapType(key, value, _)) if map.numElements() <= MaxValues =>
        val pairs = literals(map.keyArray(), key).zip(literals(map.valueArray(), value))
        Some(pairs.map { case (k, v) => Seq(k, v) })
      case CreateMap(values, _) if areDistinct(values.grouped(2).map(_.head).toSeq) =>
        Some(values.grouped(2).toList)
      case _ => None
    }

  /** The content of a map with other keys is left to Spark: it may be an error. */
  private def areDistinct(keys: Seq[Expression]): Boolean = {
    val known = keys.map(ExpressionEncoder.strip).collect {
      case Literal(value, StringType | IntegerType | LongType | DateType) if value != null =>
        value
    }
    known.distinct.length == keys.length
  }

  private def literals(array: ArrayData, dataType: DataType): Seq[Expression] =
    (0 until array.numElements()).map { index =>
      Literal(if (array.isNullAt(index)) null else array.get(index, dataType), dataType)
    }

  private def fields(struct: Expression): Option[Seq[Expression]] =
    ExpressionEncoder.strip(struct) match {
      case named: CreateNamedStruct => Some(named.valExprs)
      case Literal(null, StructType(fields)) =>
        Some(fields.toSeq.map(f => Literal(null, f.dataType)))
      case Literal(row: InternalRow, StructType(fields)) =>
        Some(fields.toSeq.zipWithIndex.map { case (field, index) =>
          Literal(
            if (row.isNullAt(index)) null else row.get(index, field.dataType),
            field.dataType)
        })
      case _ => None
    }

  private def allOf[T](options: Seq[Option[T]]): Option[Seq[T]] =
    if (options.forall(_.isDefined)) Some(options.flatten) else None
}
