import socket
import sys

from tests.unit.cli.conftest import Ran


def test_a_taken_port_is_named(run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told: Ran = run("inspect", "--no-browser", "--port", str(port))

    assert told.code == 2
    assert f"Port {port} is in use" in told.err


def test_without_the_extra_one_is_told_how_to_get_it(run, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    told: Ran = run("inspect", "--no-browser")

    assert told.code == 2
    assert "[inspect]" in told.err
