package org.apache.spark.sql.broadhead.encoding

import java.time.{Instant, LocalDate, ZoneOffset}

import com.fasterxml.jackson.databind.node.ObjectNode

import org.apache.spark.sql.catalyst.util.DateTimeUtils

/** Offsets of the JVM's time zones, so that the engine needs no rules of its own. */
private[broadhead] object TimeZoneRules {
  private val end = LocalDate.of(2500, 1, 1).atStartOfDay().toInstant(ZoneOffset.UTC)

  def encode(zoneIds: Seq[String]): ObjectNode =
    Json.obj(zoneIds.map(id => id -> encodeZone(id)): _*)

  private def encodeZone(zoneId: String): ObjectNode = {
    val rules = DateTimeUtils.getZoneId(zoneId).getRules
    val transitions = Iterator
      .iterate(rules.nextTransition(Instant.MIN))(last => rules.nextTransition(last.getInstant))
      .takeWhile(transition => transition != null && transition.getInstant.isBefore(end))
      .toList
    val first = transitions.headOption
      .map(_.getOffsetBefore)
      .getOrElse(rules.getOffset(Instant.EPOCH))
    val offsets = first +: transitions.map(_.getOffsetAfter)
    Json.obj(
      "transitions" -> Json.array(transitions.map(t => Json.number(t.getInstant.getEpochSecond))),
      "offsets" -> Json.array(offsets.map(o => Json.number(o.getTotalSeconds.toLong))))
  }
}
