"""Google's Dataproc (Managed Service for Apache Spark) on Compute Engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform(
    "dataproc",
    cores=12,
    memory=40,
    jar=f"gs://BUCKET/broadhead/{jar_name()}",
    python="/opt/broadhead/venv/bin/python",
    packages=(),
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys for Dataproc's YARN; the initialization action installs the Python."""
    return [
        keys.plugin(choices),
        keys.python(choices, archives="spark.yarn.dist.archives"),
        keys.size(choices, container=True),
        keys.gpu(choices, discovery="/opt/broadhead/gpu-discovery.sh"),
        keys.dynamic_allocation(choices, service=True),
    ]
