"""Kernels on an NVIDIA GPU: pylibcudf.

Imported only where a GPU is used. Data are `pylibcudf.Column` and `pylibcudf.Scalar`.
"""

from __future__ import annotations

import os

# pylibcudf reads this once, at its own import. Each thread gets its own stream, so that the threads
# of one process overlap on the device. There is no other switch for its default stream.
os.environ["CUDF_PER_THREAD_STREAM"] = "1"
