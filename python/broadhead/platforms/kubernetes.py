"""Spark on Kubernetes, with an image of docker/Dockerfile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from broadhead.jar import jar_name
from broadhead.platforms import keys
from broadhead.platforms.registry import platform

if TYPE_CHECKING:
    from broadhead.platforms.choices import Choices


@platform(
    "kubernetes",
    memory=24,
    jar=f"local:///opt/broadhead/jars/{jar_name()}",
    python="/opt/broadhead/venv/bin/python",
    local_dir="/var/data/spark-local-dir-1",
    image="",
    gpu_discovery="/opt/broadhead/conf/gpu-discovery.sh",
)
def groups(choices: Choices) -> list[keys.Group]:
    """Give the keys of an application whose image has the jar, the Python and the script."""
    image = choices.image or f"broadhead:{choices.extra or choices.device}"
    return [
        keys.Group(
            "The cluster, the image of docker/Dockerfile, and the account of service-account.yaml.",
            {
                "spark.master": "k8s://https://kubernetes.default.svc",
                "spark.submit.deployMode": "cluster",
                "spark.kubernetes.namespace": "default",
                "spark.kubernetes.container.image": image,
                "spark.kubernetes.authenticate.driver.serviceAccountName": "spark",
            },
        ),
        keys.Group(
            "Shared memory, the local disk and the limits of the pods.",
            {
                "spark.kubernetes.driver.podTemplateFile": "driver-pod.yaml",
                "spark.kubernetes.executor.podTemplateFile": "executor-pod.yaml",
            },
        ),
        keys.plugin(choices),
        keys.python(choices),
        keys.size(choices, container=True),
        keys.gpu(choices, discovery=choices.gpu_discovery, vendor="nvidia.com"),
        keys.dynamic_allocation(choices, service=False),
    ]
