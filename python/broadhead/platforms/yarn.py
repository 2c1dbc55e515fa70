"""Hadoop's YARN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform(
    "yarn",
    memory=24,
    jar=f"hdfs:///broadhead/{jar_name()}",
    python="hdfs:///broadhead/environment.tar.gz",
    packages=(),
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys of an application on YARN, which gives executors its own local directories."""
    discovery = keys.Group(
        "Sends the script for the GPUs to each executor.",
        {"spark.yarn.dist.files": f"{choices.folder}/gpu-discovery.sh"},
    )
    return [
        keys.Group("The cluster.", {"spark.master": "yarn", "spark.submit.deployMode": "cluster"}),
        keys.plugin(choices),
        keys.python(choices, archives="spark.yarn.dist.archives"),
        keys.size(choices, container=True),
        keys.gpu(choices, discovery="./gpu-discovery.sh"),
        *([discovery] if choices.on_gpu else []),
        keys.dynamic_allocation(choices, service=True),
    ]
