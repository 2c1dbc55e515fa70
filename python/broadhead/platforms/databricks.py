"""Databricks: classic compute with its own build of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform("databricks", cores=16, jar=f"/Volumes/main/default/broadhead/{jar_name()}")
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys of a cluster, which has one executor for each worker, as large as the host.

    Its init script copies the jar to the class path. The GPUs of a worker, the local disks and the
    number of workers are Databricks' own.
    """
    task = keys.Group(
        "Databricks gives a task a whole GPU if this key is not set.",
        {"spark.task.resource.gpu.amount": choices.task_gpus, "spark.broadhead.device": "auto"},
    )
    plugin = keys.plugin(choices).keys["spark.plugins"]
    return [
        keys.Group("Loads Broadhead.", {"spark.plugins": plugin}),
        task if choices.on_gpu else keys.gpu(choices),
    ]
