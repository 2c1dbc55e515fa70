"""A Spark Connect server, which runs Broadhead for clients that need nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform(
    "connect",
    memory=24,
    jar=f"/opt/broadhead/{jar_name()}",
    python="/opt/broadhead/environment.tar.gz",
    packages=(),
    local_dir="/var/tmp/spark",
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys of a server on a standalone cluster; --set spark.master=... names another."""
    return [
        keys.Group(
            "The cluster of the server, and its port for clients.",
            {"spark.master": "spark://master:7077", "spark.connect.grpc.binding.port": "15002"},
        ),
        keys.plugin(choices),
        keys.python(choices),
        keys.size(choices, container=False),
        keys.gpu(choices),
        keys.dynamic_allocation(choices, service=True),
        keys.local_dir(choices),
    ]
