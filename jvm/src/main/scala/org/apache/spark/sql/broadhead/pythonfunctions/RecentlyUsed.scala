package org.apache.spark.sql.broadhead.pythonfunctions

import java.util.LinkedHashMap

/**
 * The values that were used last, by their keys.
 *
 * @param most number of values that are kept
 * @param dropped called with each other one
 */
private[pythonfunctions] class RecentlyUsed[K, V](most: Int, dropped: V => Unit) {
  private val values = new LinkedHashMap[K, V](16, 0.75f, true)

  /** The value of a key, made where there is none. */
  def get(key: K)(make: => V): V = synchronized {
    val found = values.computeIfAbsent(key, _ => make)
    if (values.size > most) {
      val oldest = values.entrySet.iterator
      dropped(oldest.next().getValue)
      oldest.remove()
    }
    found
  }
}
