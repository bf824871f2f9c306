"""What the tests of several readers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

Point = tuple[str, int, float]
WALL = 1_700_000_000.0


@pytest.fixture
def write_events(tmp_path: Path) -> Callable[..., Path]:
    """Write an event file with TensorBoard's own messages and record writer."""

    def write(points: Iterable[Point], name: str = "events.out.tfevents.1.host") -> Path:
        path = tmp_path / name
        with path.open("wb") as file:
            records = RecordWriter(file)
            version = Event(wall_time=WALL, file_version="brain.Event:2")
            records.write(version.SerializeToString())
            for index, (tag, step, value) in enumerate(points):
                event = Event(wall_time=WALL + index, step=step)
                event.summary.CopyFrom(Summary(value=[Summary.Value(tag=tag, simple_value=value)]))
                records.write(event.SerializeToString())
        return path

    return write
