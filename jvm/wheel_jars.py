"""Puts the plugin's jars into the wheel, as broadhead/jars/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelJars(BuildHookInterface):
    """Takes the jars of this version from jvm/dist; where there are none, compiles one."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the jars to the wheel; an editable install finds them in jvm/dist by itself."""
        if version == "editable":
            return
        if not self._jars():
            self._compile()
        for jar in self._jars():
            build_data["force_include"][str(jar)] = f"broadhead/jars/{jar.name}"

    def _jars(self) -> list[Path]:
        version = self.metadata.version
        return sorted(Path(self.root, "jvm", "dist").glob(f"broadhead_spark*-{version}.jar"))

    def _compile(self) -> None:
        built = subprocess.run(
            [sys.executable, str(Path(self.root, "jvm", "compile.py"))], check=False
        )
        if built.returncode != 0:
            sys.exit(
                "The wheel has no jar of Broadhead to carry, and none can be compiled in this "
                "environment (the reason stands above): run `make wheel` in a checkout, or name a "
                "Spark installation by SPARK_HOME"
            )
