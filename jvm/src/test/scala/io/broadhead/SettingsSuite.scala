package io.broadhead

class SettingsSuite extends munit.FunSuite {

  private def refusal(key: String, value: String): String =
    intercept[IllegalArgumentException](Settings.validate(Seq(key -> value))).getMessage

  test("every default is a value that is allowed") {
    Settings.all.foreach(setting =>
      assertEquals(setting.parse(setting.defaultText).isDefined, true))
  }

  test("keys are unique and documented") {
    val keys = (Settings.all ++ Settings.switches).map(_.key)
    assertEquals(keys.distinct, keys)
    Settings.all.foreach(setting => assert(setting.doc.endsWith("."), setting.key))
  }

  test("a bad value names the key, the value and what is allowed") {
    val message = refusal("spark.broadhead.device", "tpu")
    assert(message.contains("spark.broadhead.device"), message)
    assert(message.contains("'tpu'"), message)
    assert(message.contains("one of auto, gpu, cpu"), message)
  }

  test("an unknown key names those that there are") {
    assert(refusal("spark.broadhead.devise", "cpu").contains("spark.broadhead.device"))
  }

  test("switches of operators and functions are keys") {
    Settings.validate(
      Seq(
        "spark.broadhead.operator.Filter.enabled" -> "false",
        "spark.broadhead.function.substring.enabled" -> "true"))
    assert(refusal("spark.broadhead.operator.Filter.enabled", "no").contains("true or false"))
    assert(refusal("spark.broadhead.enabled", "yes please").contains("true or false"))
  }

  test("keys of others are not looked at") {
    Settings.validate(Seq("spark.sql.shuffle.partitions" -> "many"))
  }
}
