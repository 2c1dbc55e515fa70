package org.apache.spark.sql.broadhead.encoding

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode}

import org.apache.spark.sql.broadhead.versions.CompiledSpark
import org.apache.spark.sql.types._

/** Builders of JSON values in the wire format. */
private[broadhead] object Json {
  private val mapper = new ObjectMapper()
  private val factory = JsonNodeFactory.instance

  val Null: JsonNode = factory.nullNode()

  def parse(text: String): JsonNode = mapper.readTree(text)

  def write(node: JsonNode): String = mapper.writeValueAsString(node)

  def text(value: String): JsonNode = factory.textNode(value)

  def bool(value: Boolean): JsonNode = factory.booleanNode(value)

  /** A number that equals the same number parsed from text: small numbers have another class. */
  def number(value: Long): JsonNode =
    if (value.isValidInt) factory.numberNode(value.toInt) else factory.numberNode(value)

  def fraction(value: Double): JsonNode = factory.numberNode(value)

  def array(values: Iterable[JsonNode]): ArrayNode = {
    val node = factory.arrayNode()
    values.foreach(node.add)
    node
  }

  def texts(values: Iterable[String]): ArrayNode = array(values.map(text))

  def obj(fields: (String, JsonNode)*): ObjectNode = {
    val node = factory.objectNode()
    fields.foreach { case (name, value) => node.set[JsonNode](name, value) }
    node
  }

  /** A type in Spark's JSON form, with its collations inside the type. */
  def dataType(dataType: DataType): JsonNode = dataType match {
    case plain if !TypeNames.holdsCollation(plain) => parse(plain.json)
    case string: StringType =>
      obj(
        "type" -> text("string"),
        "collation" -> text(CompiledSpark.collationName(string)),
        "binaryEquality" -> bool(CompiledSpark.equalsByBytes(string)))
    case ArrayType(element, containsNull) =>
      obj(
        "type" -> text("array"),
        "elementType" -> this.dataType(element),
        "containsNull" -> bool(containsNull))
    case MapType(key, value, containsNull) =>
      obj(
        "type" -> text("map"),
        "keyType" -> this.dataType(key),
        "valueType" -> this.dataType(value),
        "valueContainsNull" -> bool(containsNull))
    case struct: StructType =>
      obj("type" -> text("struct"), "fields" -> array(struct.fields.map(field)))
    case other => throw new IllegalStateException(s"${other.sql} contains no strings")
  }

  private def field(field: StructField): JsonNode = obj(
    "name" -> text(field.name),
    "type" -> dataType(field.dataType),
    "nullable" -> bool(field.nullable))
}
