"""Spark's own cluster manager: a master and workers on the hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices

DISCOVERY = "/opt/broadhead/gpu-discovery.sh"


def worker_gpus(choices: Choices, discovery: str) -> list[keys.Group]:
    """Give the keys with which a worker offers its GPUs; none for CPUs."""
    if not choices.on_gpu:
        return []
    return [
        keys.Group(
            "The GPUs that a worker offers. The workers read this file too; the script must be on "
            "their hosts.",
            {
                "spark.worker.resource.gpu.amount": "1",
                "spark.worker.resource.gpu.discoveryScript": discovery,
            },
        )
    ]


@platform(
    "standalone",
    memory=24,
    jar=f"/opt/broadhead/{jar_name()}",
    python="/opt/broadhead/environment.tar.gz",
    packages=(),
    local_dir="/var/tmp/spark",
    gpu_discovery=DISCOVERY,
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys of a standalone cluster; the jar and the Python are on the driver's host."""
    return [
        keys.plugin(choices),
        keys.python(choices),
        keys.size(choices, container=False),
        keys.gpu(choices),
        *worker_gpus(choices, choices.gpu_discovery),
        keys.dynamic_allocation(choices, service=True),
        keys.local_dir(choices),
    ]
