"""Kernels on an NVIDIA GPU: pylibcudf.

Imported only where a GPU is used. Data are `pylibcudf.Column` and `pylibcudf.Scalar`.
"""

from __future__ import annotations

import os

# pylibcudf reads this once, at its own import; a stream for each thread is what lets the threads
# of one process overlap on the device. It has no other switch for its default stream.
os.environ["CUDF_PER_THREAD_STREAM"] = "1"
