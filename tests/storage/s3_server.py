"""A server of S3 on 127.0.0.1, in this process."""

from __future__ import annotations

import logging
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUCKET = "tables"
REGION = "us-east-1"
KEY = "tests"


class S3Server:
    """A running server, with one bucket."""

    def __init__(self) -> None:
        # Only `make test-storage` installs them.
        import boto3
        from moto.server import ThreadedMotoServer

        self._server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
        self._server.start()
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        host, port = self._server.get_host_and_port()
        self.address = f"http://{host}:{port}"
        self._client = boto3.client(
            "s3",
            endpoint_url=self.address,
            region_name=REGION,
            aws_access_key_id=KEY,
            aws_secret_access_key=KEY,
        )
        self._client.create_bucket(Bucket=BUCKET)

    def stop(self) -> None:
        """End it."""
        self._server.stop()

    def access(self) -> dict[str, str]:
        """Hadoop's keys for S3A."""
        return {
            "fs.s3a.endpoint": self.address,
            "fs.s3a.endpoint.region": REGION,
            "fs.s3a.path.style.access": "true",
            "fs.s3a.access.key": KEY,
            "fs.s3a.secret.key": KEY,
            "fs.s3a.attempts.maximum": "1",
            "fs.s3a.retry.limit": "1",
        }

    def put(self, key: str, path: Path) -> str:
        """Upload a file; returns its URI."""
        self._client.upload_file(str(path), BUCKET, key)
        return f"s3a://{BUCKET}/{key}"

    def keys(self, prefix: str) -> list[str]:
        """The objects below a prefix."""
        found = self._client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)
        return sorted(entry["Key"] for entry in found.get("Contents", []))

    def delete(self, key: str) -> None:
        """Delete an object."""
        self._client.delete_object(Bucket=BUCKET, Key=key)

    @contextmanager
    def credentials_withdrawn(self) -> Iterator[None]:
        """Until the block ends, no key is valid."""
        self._check_credentials_after("0")
        try:
            yield
        finally:
            self._check_credentials_after("inf")

    def _check_credentials_after(self, requests: str) -> None:
        address = f"{self.address}/moto-api/reset-auth"
        kind = {"Content-Type": "text/plain"}
        request = urllib.request.Request(address, data=requests.encode(), headers=kind)
        with urllib.request.urlopen(request):
            pass
