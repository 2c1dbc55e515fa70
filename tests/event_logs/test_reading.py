"""What can be read: codecs, rolling folders, logs that end early, and files that are no logs."""

from __future__ import annotations

import json

import pytest

from broadhead.event_logs.application import ApplicationReader
from broadhead.event_logs.codecs import decompressed
from broadhead.event_logs.coverage import coverage
from broadhead.event_logs.logs import find_logs
from broadhead.event_logs.storage import EventLogError

pytestmark = pytest.mark.xdist_group("event logs")

START = '{"Event":"SparkListenerLogStart","Spark Version":"%s"}\n'
APPLICATION = (
    '{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"app-1","Timestamp":1}\n'
)


def read(path) -> ApplicationReader:
    [log] = find_logs([str(path)], {})
    reader = ApplicationReader(log)
    list(reader.queries())
    return reader


def written(path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("codec", ["zstd", "lz4", "snappy", "lzf"])
def test_logs_in_the_codecs_of_spark_have_their_lines(logs, codec) -> None:
    with (logs.folder / f"{codec}.{codec}").open("rb") as stream:
        content = b"".join(decompressed(stream, codec))
    assert content == (logs.folder / "content").read_bytes()


@pytest.mark.parametrize("codec", ["zstd", "lz4", "snappy", "lzf"])
def test_a_compressed_log_that_ends_early_is_used_up_to_there(logs, tmp_path, codec) -> None:
    content = (logs.folder / f"{codec}.{codec}").read_bytes()
    cut = tmp_path / f"app.{codec}.inprogress"
    cut.write_bytes(content[: len(content) * 3 // 4 + 1])
    application = read(cut).application
    assert application.spark_version
    [note] = application.notes
    assert str(cut) in note
    assert "ends within line" in note


@pytest.mark.parametrize("codec", ["zstd", "lz4", "snappy", "lzf"])
def test_a_damaged_log_names_file_and_line(logs, tmp_path, codec) -> None:
    content = bytearray((logs.folder / f"{codec}.{codec}").read_bytes())
    middle = len(content) // 2
    content[middle : middle + 400] = bytes(range(100)) * 4
    damaged = tmp_path / f"app.{codec}"
    damaged.write_bytes(content)
    with pytest.raises(EventLogError, match=r"app\.\w+(,| is damaged after) line \d+"):
        read(damaged)


def test_an_unfinished_last_line_is_left_out(tmp_path) -> None:
    text = START % "4.1.0" + APPLICATION + '{"Event":"SparkListenerTaskEnd","Sta'
    application = read(written(tmp_path / "app-1.inprogress", text)).application
    assert application.identifier == "app-1"
    assert application.notes == [
        f"{tmp_path}/app-1.inprogress ends within line 3; the events before it are used"
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# A page\n", r"line 1 is not the start of an event log of Spark .*'# A page'"),
        (START % "2.4.8", "line 1 is of Spark 2.4.8; logs of Spark 3.0 and later"),
        (START % "4.1.0" + "nonsense\n" + APPLICATION, "line 2 is no event of Spark: 'nonsense'"),
        (
            START % "4.1.0" + '{"Event":"SparkListenerTaskEnd"}\n',
            "line 2 is an event SparkListenerTaskEnd without",
        ),
    ],
)
def test_what_is_no_log_is_named_in_one_sentence(tmp_path, text, message) -> None:
    with pytest.raises(EventLogError, match=message) as raised:
        read(written(tmp_path / "app", text))
    assert str(tmp_path / "app") in str(raised.value)
    assert "\n" not in str(raised.value)


def test_missing_paths_and_empty_folders_are_named(tmp_path) -> None:
    with pytest.raises(EventLogError, match="nowhere: No such file"):
        find_logs([str(tmp_path / "nowhere")], {})
    with pytest.raises(EventLogError, match="has no event logs"):
        find_logs([str(tmp_path)], {})


def test_a_folder_has_the_logs_of_many_applications(tmp_path) -> None:
    written(tmp_path / "app-1", START % "3.0.1")
    written(tmp_path / ".app-1.crc", "x")
    rolling = tmp_path / "eventlog_v2_app-2"
    written(rolling / "appstatus_app-2", "")
    for number in (10, 9, 2):
        written(rolling / f"events_{number}_app-2", str(number))
    written(rolling / "events_8_app-2.compact", "8")
    single, rolled = find_logs([f"file://{tmp_path}"], {})
    assert single.path == str(tmp_path / "app-1")
    names = [file.path.rpartition("/")[2] for file in rolled.files]
    assert names == ["events_8_app-2.compact", "events_9_app-2", "events_10_app-2"]
    [named] = find_logs([str(rolling)], {})
    assert named.files == rolled.files


def test_the_files_of_a_rolling_log_are_one_log(tmp_path) -> None:
    rolling = tmp_path / "eventlog_v2_app-1"
    written(rolling / "events_1_app-1", START % "4.1.0")
    written(rolling / "events_2_app-1", APPLICATION)
    assert read(rolling).application.name == "a"


def query_events(number: int) -> list[str]:
    """The lines of a query's start and end."""
    name = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
    plan = {"nodeName": "Range", "simpleString": "Range", "children": [], "metrics": []}
    start = {"Event": name + "Start", "executionId": number, "description": "d"}
    start |= {"details": "", "time": number, "sparkPlanInfo": plan}
    start |= {"physicalPlanDescription": ""}
    end = {"Event": name + "End", "executionId": number, "time": number + 5}
    return [line(start), line(end)]


def line(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":")) + "\n"


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_plan_beside_its_query_is_that_of_the_query(tmp_path, place) -> None:
    node = {"depth": 0, "name": "Range", "accelerated": False, "reasons": ["why"], "functions": []}
    plan = {"Event": "org.apache.spark.sql.broadhead.application.BroadheadPlanEvent"}
    plan |= {"executionId": 7, "accelerated": 0, "total": 1, "reasons": ["why"], "nodes": [node]}
    lines = query_events(7)
    lines.insert(place, line(plan))
    [log] = find_logs([str(written(tmp_path / "app", START % "4.1.0" + "".join(lines)))], {})
    [query] = ApplicationReader(log).queries()
    assert coverage(query).reasons == ("why",)
    assert coverage(query).nodes[0].reasons == ("why",)


def test_memory_holds_only_the_queries_that_run(tmp_path) -> None:
    lines = [START % "4.1.0", *(text for number in range(500) for text in query_events(number))]
    [log] = find_logs([str(written(tmp_path / "app", "".join(lines)))], {})
    reader = ApplicationReader(log)
    found = []
    for query in reader.queries():
        found.append((query.number, query.wall_ms))
        assert not reader._running
        assert len(reader._ended) <= 100
    assert found == [(number, 5) for number in range(500)]
