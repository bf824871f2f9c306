"""What the tests of ingest share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter

Point = tuple[str, int, float]


@pytest.fixture
def events() -> Callable[..., Path]:
    """Write an event file with TensorBoard's own messages and record writer."""

    def write(path: Path, points: Iterable[Point], wall: float = 1.7e9, pace: float = 1.0) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            records = RecordWriter(file)
            records.write(Event(wall_time=wall, file_version="brain.Event:2").SerializeToString())
            for index, (tag, step, value) in enumerate(points):
                event = Event(wall_time=wall + pace * index, step=step)
                event.summary.CopyFrom(Summary(value=[Summary.Value(tag=tag, simple_value=value)]))
                records.write(event.SerializeToString())
        return path

    return write
