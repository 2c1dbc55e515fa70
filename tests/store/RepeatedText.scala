package io.broadhead.store

import org.apache.spark.sql.api.java.UDF2

/** A user's function of the JVM: a text several times; a negative number is an error. */
class RepeatedText extends UDF2[String, java.lang.Integer, String] {
  override def call(text: String, times: java.lang.Integer): String = {
    if (times != null && times < 0) throw new IllegalArgumentException(s"$times times")
    if (text == null || times == null) null else text * times
  }
}
