package org.apache.spark.sql.broadhead.application

import io.broadhead.{Setting, Settings}

import org.apache.spark.sql.internal.SQLConf

/** Registers Broadhead's keys with Spark, so that `SET` rejects an invalid value. */
private[broadhead] object SettingsRegistration {

  def register(): Unit = synchronized {
    Settings.all.filterNot(setting => SQLConf.containsConfigKey(setting.key)).foreach(register(_))
  }

  private def register(setting: Setting[_]): Unit = {
    val builder = if (setting.startOnly) {
      SQLConf.buildStaticConf(setting.key)
    } else {
      SQLConf.buildConf(setting.key)
    }
    builder
      .doc(setting.doc)
      .version(setting.since)
      .stringConf
      .checkValue(text => setting.parse(text).isDefined, s"It must be ${setting.allowed}.")
      .createWithDefault(setting.defaultText)
  }
}
