package org.apache.spark.sql.broadhead.ui

import io.broadhead.{Setting, Settings}

/**
 * A setting that differs from its default.
 *
 * @param scope where it was set
 */
private[ui] case class ChangedSetting(
    key: String,
    value: String,
    default: String,
    scope: String,
    meaning: String)

/** The settings of Broadhead that differ from their defaults, in the application or in queries. */
private[ui] object ChangedSettings {

  def of(application: Seq[(String, String)], queries: Seq[ShownQuery]): Seq[ChangedSetting] = {
    val started = application.filter(isOwn).map { case (key, value) =>
      setting(key, value, "the application")
    }
    val changed =
      for (query <- queries; entry <- query.execution.toSeq.flatMap(_.modifiedConfigs))
        yield entry
    val inQueries =
      changed.filter(isOwn).groupBy(identity).toSeq.map { case ((key, value), uses) =>
        setting(key, value, s"${Texts.count(uses.length, "query", "queries")}")
      }
    // A session can set what the application changed back to the default.
    val touched = started.filterNot(isDefault).map(_.key).toSet
    (started ++ inQueries)
      .filter(changed => !isDefault(changed) || touched.contains(changed.key))
      .sortBy(changed => (changed.key, changed.scope))
  }

  private def isOwn(entry: (String, String)): Boolean =
    entry._1.startsWith(Settings.Prefix) && entry._1 != Settings.Version.key

  private def isDefault(changed: ChangedSetting): Boolean = changed.value == changed.default

  private def setting(key: String, value: String, scope: String): ChangedSetting = {
    // The log may be that of another version, whose keys are not known here.
    val known: Option[Setting[_]] =
      Settings.all.find(_.key == key).orElse(Settings.switchOf(key))
    ChangedSetting(
      key,
      value,
      known.fold("")(_.defaultText),
      scope,
      known.fold("")(_.doc.replace("`", "")))
  }
}
