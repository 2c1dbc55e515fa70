#!/usr/bin/env python3
"""Whether a service answers: health.py http://localhost:8080 or tcp://localhost:15002."""

from __future__ import annotations

import socket
import sys
import urllib.request
from urllib.parse import urlsplit

SECONDS = 5

url = urlsplit(sys.argv[1])
try:
    if url.scheme == "tcp":
        socket.create_connection((url.hostname, url.port), timeout=SECONDS).close()
    else:
        urllib.request.urlopen(sys.argv[1], timeout=SECONDS).close()
except OSError as error:
    sys.exit(f"{sys.argv[1]} does not answer: {error}")
