"""Taking spark-submit's command line apart and putting it together again."""

from __future__ import annotations

from pathlib import Path

import pytest

from broadhead.submit_arguments import (
    append_to_list,
    parse_submit_arguments,
    read_properties,
)


@pytest.mark.parametrize(
    ("words", "options", "conf", "application"),
    [
        (["app.py", "--jars", "x"], (), {}, ("app.py", "--jars", "x")),
        (["--jars", "a.jar", "app.py"], (), {"spark.jars": "a.jar"}, ("app.py",)),
        (["--jars=a.jar", "app.py"], (), {"spark.jars": "a.jar"}, ("app.py",)),
        (["-c", "k=v=w", "app.py", "-c"], (), {"k": "v=w"}, ("app.py", "-c")),
        (["--conf=k=v", "app.py"], (), {"k": "v"}, ("app.py",)),
        (["--conf", "k=", "app.py"], (), {"k": ""}, ("app.py",)),
        (["--verbose", "--name", "a b", "app.py"], ("--verbose", "--name", "a b"), {}, ("app.py",)),
        (["--class", "X", "--supervise", "a.jar"], ("--class", "X", "--supervise"), {}, ("a.jar",)),
        (["-v", "-f", "q.sql"], ("-v", "-f", "q.sql"), {}, ()),
        (["--version"], ("--version",), {}, ()),
        (["--name"], ("--name",), {}, ()),
        (["-"], (), {}, ("-",)),
        ([], (), {}, ()),
    ],
)
def test_parse(words, options, conf, application) -> None:
    parsed = parse_submit_arguments(words)
    assert (parsed.options, parsed.conf, parsed.application) == (options, conf, application)


def test_an_option_wins_over_the_key_that_it_stands_for() -> None:
    words = ["--jars", "a.jar", "--conf", "spark.jars=b.jar", "--master", "local[2]", "app.py"]
    conf = parse_submit_arguments(words).conf
    assert conf == {"spark.jars": "a.jar", "spark.master": "local[2]"}


def test_the_command_keeps_what_the_user_wrote() -> None:
    words = ["--name", "my app", "--jars", "a.jar", "-c", "k=v w", "app.py", "a b", "--jars"]
    command = parse_submit_arguments(words).command({"spark.jars": "a.jar,b.jar"})
    expected = ["--name", "my app", "--jars", "a.jar,b.jar", "--conf", "k=v w"]
    assert command == [*expected, "app.py", "a b", "--jars"]


def test_properties_come_from_the_defaults_then_the_command_line(tmp_path, monkeypatch) -> None:
    (tmp_path / "spark-defaults.conf").write_text("a 1\nb 2\n")
    other = tmp_path / "other.conf"
    other.write_text("b 3\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    plain = parse_submit_arguments(["--conf", "c=4", "x.py"]).properties(tmp_path)
    assert plain == {"a": "1", "b": "2", "c": "4"}
    own = parse_submit_arguments(["--properties-file", str(other), "x.py"]).properties(tmp_path)
    assert own == {"b": "3"}


def test_read_properties(tmp_path: Path) -> None:
    path = tmp_path / "spark.conf"
    path.write_text(
        "# comment\n! comment\n\nspark.a  one two\nspark.b=x=y\nspark.c : z\nspark.d\n"
        "spark.e a,\\\n   b\n"
    )
    assert read_properties(path) == {
        "spark.a": "one two",
        "spark.b": "x=y",
        "spark.c": "z",
        "spark.d": "",
        "spark.e": "a,b",
    }
    assert read_properties(tmp_path / "missing") == {}


@pytest.mark.parametrize(
    ("existing", "expected"),
    [("", "x"), ("a", "a,x"), ("a, b", "a,b,x"), ("x", "x"), ("a,x", "a,x"), (",", "x")],
)
def test_append_to_list(existing: str, expected: str) -> None:
    assert append_to_list(existing, "x") == expected
