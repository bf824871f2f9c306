"""Addresses of servers that run: a web server, and S3 as moto plays it."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.metric import Metric

STEPS = 50
TABLE = b"step,loss\n" + b"".join(b"%d,%d.5\n" % (i, i % 7) for i in range(STEPS))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing among the tests."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("aiohttp")
    served = tmp_path / "served"
    served.mkdir()
    (served / "metrics.csv").write_bytes(TABLE)
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(_Quiet, directory=str(served))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_log_on_a_web_server(web: str) -> None:
    (run,) = load_runs(f"{web}/metrics.csv?token=1")
    loss = run.get(Metric.LOSS)
    assert loss is not None
    assert (len(loss), loss.values[6]) == (STEPS, 6.5)
    assert run.sources[0].path == f"{web}/metrics.csv?token=***"  # what opens the door is not told


def test_what_a_web_server_has_not(web: str) -> None:
    with pytest.raises(InputError, match=r"(?i)not found"):
        load_runs(f"{web}/none.csv")


def test_a_web_server_that_is_not_there(web: str) -> None:
    with pytest.raises(InputError, match=r"[Cc]onnect"):
        load_runs("http://127.0.0.1:9/metrics.csv")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    pytest.importorskip("s3fs").S3FileSystem.clear_instance_cache()  # of a server before
    boto3 = pytest.importorskip("boto3")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_DEFAULT_REGION": "us-east-1",
    }.items():
        monkeypatch.setenv(name, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket="logs")
    yield client
    server.stop()


def test_logs_in_a_bucket(bucket: Any) -> None:
    bucket.put_object(Bucket="logs", Key="runs/a/metrics.csv", Body=TABLE)
    bucket.put_object(Bucket="logs", Key="runs/a/config.json", Body=b'{"batch_size": 8}')
    bucket.put_object(Bucket="logs", Key="runs/b/metrics.csv", Body=TABLE)
    bucket.put_object(Bucket="logs", Key="runs/b/model.pt", Body=b"0" * 1000)
    for folder in ("runs/", "runs/a/", "runs/b/"):  # as the console makes folders
        bucket.put_object(Bucket="logs", Key=folder, Body=b"")
    for address in ("s3://logs", "s3://logs/runs", "s3://logs/runs/*/metrics.csv"):
        runs = load_runs(address)
        assert [len(run.get(Metric.LOSS) or ()) for run in runs] == [STEPS, STEPS], address
    (run,) = load_runs("s3://logs/runs/a")
    assert run.config["batch_size"] == 8
    (run,) = load_runs("s3://logs/runs/b/metrics.csv")
    assert len(run.get(Metric.LOSS) or ()) == STEPS


@pytest.mark.parametrize("address", ["s3://logs/none", "s3://no-such-bucket/a.csv"])
def test_what_a_bucket_has_not(bucket: Any, address: str) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        load_runs(address)
