"""Amazon EMR on EC2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform(
    "emr",
    cores=12,
    memory=40,
    jar=f"s3://BUCKET/broadhead/{jar_name()}",
    python="/opt/broadhead/venv/bin/python",
    packages=(),
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys for EMR's YARN; the bootstrap action installs the Python."""
    return [
        keys.plugin(choices),
        keys.python(choices, archives="spark.yarn.dist.archives"),
        keys.size(choices, container=True),
        keys.gpu(choices, discovery="/opt/broadhead/gpu-discovery.sh"),
        keys.dynamic_allocation(choices, service=True),
    ]
