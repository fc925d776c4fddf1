"""A real Redis server without modules, on a port of its own, for benchmarks and tests."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from redis import Redis
from redis.exceptions import ConnectionError

MISSING = "needs redis-server, as `apt-get install redis-server` installs it"

_STARTS_WITHIN_S = 20.0


def is_installed() -> bool:
    """Say whether there is a server to start."""
    return shutil.which("redis-server") is not None


@contextmanager
def redis_server(folder: Path, *options: str, port: int | None = None) -> Iterator[str]:
    """Run a server that keeps its files in a folder, and yield its address."""
    port = port or _free_port()
    always = ("--port", str(port), "--dir", str(folder), "--save", "", "--databases", "1000")
    process = subprocess.Popen(["redis-server", *always, *options], stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _STARTS_WITHIN_S
    with Redis(port=port) as client:
        while True:
            try:
                client.ping()
                return
            except ConnectionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
