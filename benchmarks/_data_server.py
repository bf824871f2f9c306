"""TensorBoard's data server (written in Rust): load a folder, read all scalars over gRPC."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

# The server says nothing when it has read everything: it has when it used no CPU for this long.
IDLE_SECONDS: Final = 0.5
LONGEST_START: Final = 30.0
MOST_POINTS: Final = 1_000_000_000
MESSAGE_BYTES: Final = 1 << 30


def read(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the values of every tag of the event files in `folder`."""
    program = import_module("tensorboard_data_server").server_binary()
    with tempfile.TemporaryDirectory() as name:
        port_file = Path(name) / "port"
        command = [
            program,
            f"--logdir={folder}",
            "--reload=once",
            "--samples-per-plugin=scalars=all",
            "--port=0",
            f"--port-file={port_file}",
            "--die-after-stdin",
        ]
        server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            found = _scalars(_port(port_file))
        finally:
            server.communicate()  # closes its input, by which it ends
    return found


def _port(port_file: Path) -> int:
    deadline = time.monotonic() + LONGEST_START
    while not port_file.exists() or not port_file.read_text().strip():
        if time.monotonic() > deadline:
            raise RuntimeError("the data server did not start")
        time.sleep(0.02)
    return int(port_file.read_text())


def _scalars(port: int) -> dict[str, np.ndarray[Any, Any]]:
    import numpy as np

    grpc = import_module("grpc")
    messages = import_module("tensorboard.data.proto.data_provider_pb2")
    services = import_module("tensorboard.data.proto.data_provider_pb2_grpc")

    options = [("grpc.max_receive_message_length", MESSAGE_BYTES)]
    channel = grpc.insecure_channel(f"localhost:{port}", options=options)
    stub = services.TensorBoardDataProviderStub(channel)
    _wait_until_idle()
    plugin = messages.PluginFilter(plugin_name="scalars")
    listed = stub.ListScalars(messages.ListScalarsRequest(plugin_filter=plugin))
    tags = [tag.tag_name for run in listed.runs for tag in run.tags]
    found = {}
    for tag in tags:
        request = messages.ReadScalarsRequest(plugin_filter=plugin)
        request.run_tag_filter.tags.names.append(tag)
        request.downsample.num_points = MOST_POINTS
        (run,) = stub.ReadScalars(request).runs
        (series,) = run.tags
        found[tag] = np.array(series.data.value)
    return found


def _wait_until_idle() -> None:
    before, since = -1.0, time.monotonic()
    while time.monotonic() - since < IDLE_SECONDS:
        time.sleep(0.05)
        now = _cpu_of_children()
        if now != before:
            before, since = now, time.monotonic()


def _cpu_of_children() -> float:
    """Clock ticks the running children of this process have used."""
    total = 0.0
    for entry in Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split():
        fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])  # user and system time
    return total
