package org.apache.spark.sql.broadhead.replay

import java.io.EOFException

import org.apache.spark.sql.execution.python.UserPythonException

class FragmentFailureSuite extends munit.FunSuite {

  private def failure(kind: String, more: String = "") = FragmentFailure.fromFrame(
    s"""{"kind": "$kind", "reason": "OSError", "traceback": "Traceback ...\\nOSError: mine\\n"$more}""")

  test("the kind of an error frame is the outcome") {
    assertEquals(failure("replay").outcome: Outcome, Outcome.WouldRaise)
    assertEquals(failure("error").outcome: Outcome, Outcome.Defect)
    assertEquals(failure("user").outcome: Outcome, Outcome.UserError)
    assertEquals(failure("user").traceback, "Traceback ...\nOSError: mine\n")
    assertEquals(failure("user").block, None)
  }

  test("a lost block names its file") {
    val lost = failure("shuffle", """, "path": "/a", "offset": 64""")
    assertEquals(lost.outcome: Outcome, Outcome.BlockLost)
    assertEquals(lost.block, Some(DamagedBlock("/a", 64)))
  }

  test("what comes without a frame is a defect") {
    val found = FragmentFailure.of(new EOFException("Traceback ...\nends here\n"))
    assertEquals(found.outcome: Outcome, Outcome.Defect)
    assertEquals(found.reason, "EOFException: ends here")
  }

  test("the user's error is Spark's exception, made where PySpark looks for it") {
    val error = UserPythonException.of(failure("user").traceback)
    assert(error.getMessage.contains("Traceback ...\nOSError: mine\n"), error.getMessage)
    assertEquals(error.getCause, null)
    assert(
      error.getStackTrace.exists(_.toString.contains("org.apache.spark.sql.execution.python")))
  }
}
