package org.apache.spark.sql.broadhead.encoding

import io.broadhead.Settings

/** Why results whose level is not exact stay with Spark. */
private[broadhead] object LevelReasons {

  def of(name: String, level: String): String =
    s"$name has the level '$level', and ${Settings.Exact.key} is true"
}
