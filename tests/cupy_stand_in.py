"""kernels/cudf/fields.py on the host: numpy for CuPy, and a C++ compiler for NVIDIA's.

It proves what the code computes, not that it runs on a GPU: tests/kernels/test_fields.py does.
"""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
import sys
import tempfile
import types
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead import kernels
from broadhead.types import DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Callable

COMPILER = shutil.which("c++") or shutil.which("g++")

_FOLDER = Path(kernels.__file__).parent / "cudf"
_LAUNCHER = """
struct Index { long long x; };
static thread_local Index blockIdx, blockDim, threadIdx;
#define __host__
#define __device__
#define __global__
static inline void atomicOr(int* all, int found) { *all |= found; }
extern "C" void set_row(long long row) { blockIdx.x = row; blockDim.x = 1; threadIdx.x = 0; }
"""


class _Column:
    """Physical data of the arrow kernels, made of a column's buffers."""

    def __init__(self, type_: pa.DataType, rows: int, data: Any, mask: Any, *rest: Any) -> None:
        self.type, self.rows, self.data, self.mask = type_, rows, data, mask
        self.rest = rest

    def with_mask(self, mask: Any, count: int) -> _Column:
        return _Column(self.type, self.rows, self.data, mask, *self.rest)

    def array(self) -> pa.Array:
        valid = None if self.mask is None else pa.array(self.mask).buffers()[1]
        if pa.types.is_string(self.type):
            (offsets,) = self.rest[-1]
            buffers = [valid, pa.py_buffer(offsets.data), pa.py_buffer(self.data)]
        elif pa.types.is_boolean(self.type):
            buffers = [valid, pa.array(self.data.astype(bool)).buffers()[1]]
        else:
            buffers = [valid, pa.py_buffer(self.data)]
        return pa.Array.from_buffers(self.type, self.rows, buffers)


def _modules() -> dict[str, types.ModuleType]:
    stand_in = types.ModuleType
    cupy = stand_in("cupy")
    for name in (
        "zeros", "cumsum", "count_nonzero", "stack", "maximum", "ascontiguousarray",
    ):  # fmt: skip
        setattr(cupy, name, getattr(np, name))
    cupy.asarray = np.asarray  # type: ignore[attr-defined]
    cupy.asnumpy = np.asarray  # type: ignore[attr-defined]
    cupy.empty = lambda *shape: np.empty(*shape).view(_Settable)  # type: ignore[attr-defined]
    cupy.RawModule = _RawModule  # type: ignore[attr-defined]
    cupy.cuda = types.SimpleNamespace(  # type: ignore[attr-defined]
        Stream=types.SimpleNamespace(ptds=nullcontext()),
        using_allocator=lambda allocator: nullcontext(),
    )
    allocators = stand_in("rmm.allocators.cupy")
    allocators.rmm_cupy_allocator = None  # type: ignore[attr-defined]
    plc = stand_in("pylibcudf")
    plc.Column = _Column  # type: ignore[attr-defined]
    plc.gpumemoryview = np.ascontiguousarray  # type: ignore[attr-defined]
    plc.transform = types.SimpleNamespace(  # type: ignore[attr-defined]
        bools_to_mask=lambda flags: (np.asarray(flags.data, bool), 0)
    )
    physical = stand_in("broadhead.kernels.cudf.physical")
    names = {
        "BOOL": pa.bool_(), "INT8": pa.int8(), "INT16": pa.int16(), "INT32": pa.int32(),
        "INT64": pa.int64(), "FLOAT64": pa.float64(), "STRING": pa.string(), "Column": _Column,
    }  # fmt: skip
    for name, value in {**names, "device_type": _device_type}.items():
        setattr(physical, name, value)
    return {
        "cupy": cupy,
        "rmm": stand_in("rmm"),
        "rmm.allocators": stand_in("rmm.allocators"),
        "rmm.allocators.cupy": allocators,
        "pylibcudf": plc,
        "broadhead.kernels.cudf": stand_in("broadhead.kernels.cudf"),
        "broadhead.kernels.cudf.physical": physical,
    }


class _Settable(np.ndarray):  # type: ignore[type-arg]
    def set(self, values: Any, stream: Any) -> None:
        self[...] = values


def _device_type(data_type: DataType) -> pa.DataType:
    if isinstance(data_type, DecimalType):
        return pa.int64()
    named = {"boolean": pa.bool_(), "byte": pa.int8(), "short": pa.int16(), "double": pa.float64()}
    others = {"integer": pa.int32(), "date": pa.date32()}
    return {**named, **others}.get(data_type.name, pa.int64())


class _RawModule:
    """The kernels of a source, started for one row after the other."""

    def __init__(self, code: str, options: Any) -> None:
        assert COMPILER is not None, "callers look for a compiler first"
        with tempfile.TemporaryDirectory() as folder:
            source, library = Path(folder, "fields.cpp"), Path(folder, "fields.so")
            source.write_text(_LAUNCHER + code, encoding="utf-8")
            flags = ["-std=c++17", "-O1", "-shared", "-fPIC"]
            subprocess.run([COMPILER, *flags, "-o", library, source], check=True)
            self.loaded = ctypes.CDLL(str(library))

    def get_function(self, name: str) -> Callable[..., None]:
        function, set_row = getattr(self.loaded, name), self.loaded.set_row

        def run(grid: tuple[int], block: tuple[int], arguments: tuple[Any, ...]) -> None:
            values = [
                ctypes.c_void_p(a.ctypes.data)
                if isinstance(a, np.ndarray)
                else ctypes.c_longlong(int(a))
                for a in arguments
            ]
            for row in range(grid[0] * block[0]):
                set_row(ctypes.c_longlong(row))
                function(*values)

        return run


def _load(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(f"stand_in.{name}", _FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def field_kernels() -> Any:
    """`kernels.fields` whose columns are those of the arrow kernels; `rows` counts each block's."""
    found = _modules()
    before = {name: sys.modules.get(name) for name in found}
    sys.modules.update(found)
    try:
        for name in ("field_source", "field_launch", "field_bounds"):
            full = f"broadhead.kernels.cudf.{name}"
            before.setdefault(full, sys.modules.get(full))
            sys.modules[full] = _load(name)
        module = _load("fields")
    finally:
        for name, value in before.items():
            if value is None:
                del sys.modules[name]
            else:
                sys.modules[name] = value

    rows: list[int] = []

    def read(*arguments: Any) -> Any:
        values = module.read(*arguments)
        if values is None:
            return None
        rows.append(values.rows)
        columns = [column.array() for column in values.columns]
        return module.FieldValues(values.rows, columns, values.unparsed)

    def staging(size: int) -> memoryview:
        return memoryview(bytearray(size))

    return types.SimpleNamespace(can_read=module.can_read, staging=staging, read=read, rows=rows)
