"""Ports of this machine for servers that cannot say which one they have taken."""

from __future__ import annotations

import socket


def free_ports(number: int) -> list[int]:
    """Different ports that nothing listens on now."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [int(found.getsockname()[1]) for found in sockets]
    for found in sockets:
        found.close()
    return ports
