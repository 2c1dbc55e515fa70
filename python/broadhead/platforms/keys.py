"""Spark's keys that platforms share, in groups with a comment."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from broadhead.launch import PLUGIN
from broadhead.platforms.choices import ENVIRONMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from broadhead.platforms.choices import Choices


_COMMENT_WIDTH = 96


@dataclass(frozen=True, slots=True)
class Group:
    """Keys that belong together, and why they are set."""

    comment: str
    keys: Mapping[str, str]


def plugin(choices: Choices, *, jars: str = "spark.jars") -> Group:
    """Give the keys that load Broadhead. Without a jar, the platform loads it in another way."""
    return Group(
        "Loads Broadhead. If one of these keys is set already, add to its list.",
        {"spark.plugins": PLUGIN} | ({jars: choices.jar} if choices.jar else {}),
    )


def python(choices: Choices, *, archives: str = "spark.archives") -> Group:
    """Give the keys for the Python of the executors; the jar brings Broadhead itself."""
    needs = "3.11 or newer, with pyarrow" + (" and cuDF" if choices.on_gpu else "")
    if not choices.packed_python:
        return Group(
            f"The Python of the executors: {needs}. Broadhead itself is in the jar.",
            {"spark.pyspark.python": choices.python},
        )
    return Group(
        f"The Python of the executors, {needs}, packed by pack-python.sh. Broadhead itself is in "
        "the jar. A driver outside the cluster has a Python of its own: name it with "
        "spark.pyspark.driver.python, the same minor version. The first query waits until an "
        "executor has unpacked and checked it.",
        {
            archives: f"{choices.python}#{ENVIRONMENT}",
            "spark.pyspark.python": choices.interpreter,
            "spark.broadhead.python.probeTimeout": "120s",
        },
    )


def size(choices: Choices, *, container: bool) -> Group:
    """Give the size of an executor. Only a container counts the memory beside the heap."""
    heap = {"spark.executor.memory": f"{choices.heap}g"}
    comment = (
        f"The size of an executor. A third of its {choices.memory} GiB is the JVM's heap: the rows "
        "are in the memory of the Python workers, "
    )
    if container:
        comment += "which the overhead has to cover."
        heap["spark.executor.memoryOverhead"] = f"{choices.overhead}g"
    else:
        comment += f"for which each executor's host needs {choices.overhead} GiB more."
    return Group(comment, {"spark.executor.cores": str(choices.cores), **heap})


def gpu(choices: Choices, *, discovery: str = "", vendor: str = "") -> Group:
    """Give the keys with which each executor gets a GPU; none for CPUs."""
    if not choices.on_gpu:
        return Group("Without a GPU, on Arrow.", {"spark.broadhead.device": "cpu"})
    keys = {"spark.executor.resource.gpu.amount": "1"}
    if vendor:
        keys["spark.executor.resource.gpu.vendor"] = vendor
    if discovery:
        keys["spark.executor.resource.gpu.discoveryScript"] = discovery
    return Group(
        "One GPU for each executor. A task gets a small share, so that the number of tasks is that "
        "of the cores: Broadhead itself limits the tasks on a GPU.",
        {
            **keys,
            "spark.task.resource.gpu.amount": choices.task_gpus,
            "spark.broadhead.device": "auto",
        },
    )


def dynamic_allocation(choices: Choices, *, service: bool) -> Group:
    """Give the keys for a number of executors that follows the work.

    The blocks of Broadhead's shuffles outlive an executor in the external shuffle service. Where
    there is none, Spark keeps the executors that hold blocks.
    """
    comment = (
        "As many executors as there is work. Their shuffle blocks are served by the external "
        "shuffle service, Broadhead's too."
        if service
        else "As many executors as there is work. There is no external shuffle service here, so an "
        "executor stays as long as its shuffle blocks are needed."
    )
    keys = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.minExecutors": "0",
        "spark.dynamicAllocation.initialExecutors": "1",
        "spark.dynamicAllocation.maxExecutors": str(choices.executors),
    }
    if service:
        keys["spark.shuffle.service.enabled"] = "true"
    # Spark's default is true, with which idle executors stay in spite of the service.
    keys["spark.dynamicAllocation.shuffleTracking.enabled"] = str(not service).lower()
    return Group(comment, keys)


def local_dir(choices: Choices) -> Group:
    """Give the key for the local disk."""
    return Group(
        "A folder on a fast local disk of every host, for shuffles and spilled rows; several are "
        "separated by commas.",
        {"spark.local.dir": choices.local_dir},
    )


def with_settings(groups: Iterable[Group], settings: Mapping[str, str]) -> Iterator[Group]:
    """Give the groups with the user's own keys, which replace those of the platform."""
    for group in groups:
        left = {key: value for key, value in group.keys.items() if key not in settings}
        if left:
            yield Group(group.comment, left)
    if settings:
        yield Group("Chosen with --set.", settings)


def flat(groups: Iterable[Group]) -> dict[str, str]:
    """Give all keys, without the comments."""
    return {key: value for group in groups for key, value in group.keys.items()}


def properties(groups: Iterable[Group]) -> str:
    """Give the lines of spark-defaults.conf."""
    found = list(groups)
    width = max(len(key) for key in flat(found))
    blocks = []
    for group in found:
        comment = [f"# {line}" for line in textwrap.wrap(group.comment, _COMMENT_WIDTH)]
        keys = [f"{key:<{width}}  {value}" for key, value in group.keys.items()]
        blocks.append("\n".join([*comment, *keys]))
    return "\n\n".join(blocks)
