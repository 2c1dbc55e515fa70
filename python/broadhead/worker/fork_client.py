"""Stands for a Python daemon of Spark, which is a copy of the process `fork_server`.

`python -I -S fork_client.py SOCKET PYTHON -m MODULE ARGUMENT...`: has the server start the module
with this process's streams, and lives as long as it. If there is no such server, or it was started
with another environment, this process becomes the interpreter itself.

Spark waits for its start, so it imports little.
"""

import os
import signal
import socket
import struct
import sys


def main() -> None:
    """Ask the server; see the module."""
    server, python, *command = sys.argv[1:]
    ending = {signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ending)
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(server)
            daemon = _request(connection, command[1:])
        except (OSError, struct.error):
            daemon = 0
        if daemon:
            signal.signal(signal.SIGTERM, lambda *_: os.kill(daemon, signal.SIGTERM))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ending)
        if daemon == 0:
            os.execvp(python, [python, *command])
        # The daemon has the streams now, and Spark waits for the end of its output.
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(nothing, stream)
        connection.recv(1)


def _request(connection: socket.socket, arguments: list[str]) -> int:
    """Return the process ID of the daemon; 0 if the server does not start it."""
    variables = [name + b"=" + value for name, value in os.environb.items()]
    texts = [os.fsencode(text) for text in [os.getcwd(), str(len(arguments)), *arguments]]  # noqa: PTH109
    texts += variables
    socket.send_fds(connection, [struct.pack("!I", len(texts))], [0, 1, 2])
    connection.sendall(b"".join(struct.pack("!I", len(text)) + text for text in texts))
    (daemon,) = struct.unpack("!i", connection.recv(4, socket.MSG_WAITALL))
    return int(daemon)


if __name__ == "__main__":
    main()
