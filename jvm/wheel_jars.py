"""Puts the plugin's jars into the wheel, as broadhead/jars/."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelJars(BuildHookInterface):
    """Takes the jars of this version from jvm/dist; where there are none, compiles one."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Give what a build without a jar needs: the Scala compiler is among PySpark's jars."""
        return [] if self._jars() else ["pyspark==4.1.*"]

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
        if shutil.which("java") is None:
            sys.exit(
                "Broadhead's jar is not built, and there is no java here to build it: install "
                "Java 17 or newer, or install Broadhead from its wheel"
            )
        path = Path(self.root, "jvm", "compile.py")
        spec = importlib.util.spec_from_file_location("compile_jar", path)
        if spec is None or spec.loader is None:
            sys.exit(f"{path} is missing: build from a whole checkout or source distribution")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.build_jar()
