"""Event files: real writers, damage of every kind, hostile bytes."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tables import series
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c
from tensorboard.summary.writer.record_writer import RecordWriter
from tensorboard.util.tensor_util import make_tensor_proto

from spikedoc.errors import InputError
from spikedoc.readers._event_points import ONE_TIME
from spikedoc.readers.base import RawSeries
from spikedoc.readers.tensorboard import READER

DATA = Path(__file__).parents[1] / "data" / "frameworks"
Write = Callable[..., Path]


def write_messages(path: Path, events: list[Event]) -> Path:
    with path.open("wb") as file:
        records = RecordWriter(file)
        for event in events:
            records.write(event.SerializeToString())
    return path


def event(step: int, *values: Summary.Value, wall: float = 1.7e9) -> Event:
    message = Event(wall_time=wall + step, step=step)
    message.summary.CopyFrom(Summary(value=list(values)))
    return message


def record(data: bytes) -> bytes:
    header = struct.pack("<Q", len(data))
    return (
        header
        + struct.pack("<I", masked_crc32c(header))
        + data
        + struct.pack("<I", masked_crc32c(data))
    )


@pytest.mark.parametrize("path", sorted(DATA.rglob("*tfevents*")), ids=lambda p: p.parts[-3])
def test_equals_tensorboards_own_reader(path: Path) -> None:
    expected = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 1})
    expected.Reload()
    found = series(READER.read(path))
    assert set(found) == set(expected.Tags()["scalars"])
    for tag, one in found.items():
        points = expected.Scalars(tag)
        assert one.steps.tolist() == [p.step for p in points]
        np.testing.assert_array_equal(one.values, [p.value for p in points])
        assert one.wall_times is not None
        # Tags of one row have the time of its first.
        assert one.wall_times == pytest.approx([p.wall_time for p in points], abs=ONE_TIME, rel=0)


def rows_apart(tmp_path: Path, seconds: float) -> tuple[RawSeries, RawSeries]:
    """Two tags of 400 steps, logged so many seconds apart at each step."""
    rows = [
        event(step, Summary.Value(tag=tag, simple_value=step), wall=1.7e9 + late)
        for step in range(400)
        for tag, late in (("loss", 0.0), ("lr", seconds))
    ]
    found = series(READER.read(write_messages(tmp_path / "events.out.tfevents.1.host", rows)))
    return found["loss"], found["lr"]


def test_tags_of_one_row_share_its_time(tmp_path: Path) -> None:
    loss, rate = rows_apart(tmp_path, 0.00005)
    assert rate.wall_times is loss.wall_times
    assert loss.wall_times is not None
    assert loss.wall_times.tolist() == [1.7e9 + step for step in range(400)]


@pytest.mark.parametrize(("seconds", "shared"), [(0.0999, True), (0.11, False), (-5.0, False)])
def test_tags_logged_at_other_times_keep_their_own(
    tmp_path: Path, seconds: float, *, shared: bool
) -> None:
    loss, rate = rows_apart(tmp_path, seconds)
    assert (rate.wall_times is loss.wall_times) == shared
    late = 0.0 if shared else seconds
    assert rate.wall_times is not None
    assert rate.wall_times.tolist() == [1.7e9 + step + late for step in range(400)]


def test_values_that_are_not_numbers_are_kept(write_events: Write) -> None:
    values = [1.5, math.nan, math.inf, -math.inf, 0.0, -0.0]
    path = write_events([("loss", step, value) for step, value in enumerate(values)])
    np.testing.assert_array_equal(series(READER.read(path))["loss"].values, values)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "loss", "train/loss", "x" * 130, "损失"]),
            st.integers(-(2**40), 2**62) | st.integers(0, 300),
            st.floats(width=32),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_what_is_written_is_read(write_events: Write, points: list[tuple[str, int, float]]) -> None:
    found = series(READER.read(write_events(points)))
    for tag in {point[0] for point in points}:
        mine = [(step, value) for name, step, value in points if name == tag]
        assert found[tag].steps.tolist() == [step for step, _ in mine]
        np.testing.assert_array_equal(found[tag].values, [value for _, value in mine])


@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (np.float32, 0.25),
        (np.float64, 1 / 3),
        (np.float16, 0.5),
        (np.int32, -7),
        (np.int64, 2**40),
        (np.float32, math.nan),
    ],
)
def test_scalars_as_tensors(tmp_path: Path, dtype: type, value: float) -> None:
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = "scalars"
    packed = TensorProto(dtype=make_tensor_proto(dtype(value)).dtype)
    packed.tensor_content = np.array(value, dtype=dtype).tobytes()
    listed = make_tensor_proto(dtype(value))
    events = [
        event(
            step,
            Summary.Value(tag="packed", tensor=packed, metadata=metadata),
            Summary.Value(tag="listed", tensor=listed, metadata=metadata),
        )
        for step in range(3)
    ]
    events += [
        event(step, Summary.Value(tag="alone", tensor=packed, metadata=metadata))
        for step in range(200)
    ]
    found = series(READER.read(write_messages(tmp_path / "events.out.tfevents.1", events)))
    for tag, count in (("packed", 3), ("listed", 3), ("alone", 200)):
        np.testing.assert_array_equal(found[tag].values, [float(dtype(value))] * count)


def test_many_values_in_one_event(tmp_path: Path) -> None:
    def values(step: int) -> list[Summary.Value]:
        tags = ["loss", "acc", "lr"] if step % 10 else ["loss", "lr"]
        return [Summary.Value(tag=tag, simple_value=step + k) for k, tag in enumerate(tags)]

    events = [event(step, *values(step)) for step in range(1, 400)]
    found = series(READER.read(write_messages(tmp_path / "events.out.tfevents.1", events)))
    assert found["loss"].steps.tolist() == list(range(1, 400))
    assert found["acc"].steps.tolist() == [s for s in range(1, 400) if s % 10]
    assert found["lr"].values.tolist() == [s + (2 if s % 10 else 1) for s in range(1, 400)]


def test_tensors_that_are_no_scalars_are_left_out(tmp_path: Path) -> None:
    vector = make_tensor_proto(np.arange(3, dtype=np.float32))
    histogram = HistogramProto(min=0, max=1, bucket=[1.0, 2.0], bucket_limit=[0.5, 1.0])
    events = [
        event(
            1,
            Summary.Value(tag="vector", tensor=vector),
            Summary.Value(tag="weights", histo=histogram),
            Summary.Value(tag="loss", simple_value=2.0),
        )
    ]
    table = READER.read(write_messages(tmp_path / "events.out.tfevents.1", events))
    assert set(series(table)) == {"loss"}


def test_blobs_longer_than_the_buffer_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spikedoc.readers._event_frames.CHUNK", 4096)
    image = Summary.Image(height=1, width=1, encoded_image_string=b"\x09" * 20_000)
    events = []
    for step in range(1, 40):
        events.append(event(step, Summary.Value(tag="loss", simple_value=step)))
        if step % 5 == 0:
            events.append(event(step, Summary.Value(tag="image", image=image)))
    path = write_messages(tmp_path / "events.out.tfevents.1", events)
    table = READER.read(path)
    assert series(table)["loss"].values.tolist() == list(range(1, 40))
    assert table.notes == ()


@pytest.mark.parametrize("chunk", [600, 1000, 4096])
def test_chunk_borders_lose_nothing(
    write_events: Write, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr("spikedoc.readers._event_frames.CHUNK", chunk)
    path = write_events([("loss", step, step / 2) for step in range(500)])
    table = READER.read(path)
    assert series(table)["loss"].steps.tolist() == list(range(500))
    assert table.notes == ()


def test_order_is_that_of_the_file(write_events: Write) -> None:
    steps = [1, 2, 300, 4, 70_000, 5]
    path = write_events([("loss", step, 0.0) for step in steps])
    one = series(READER.read(path))["loss"]
    assert one.steps.tolist() == steps
    assert one.order is not None
    assert np.all(np.diff(one.order) > 0)


def test_a_cut_tail_is_noted(write_events: Write) -> None:
    path = write_events([("loss", step, 1.0) for step in range(100)])
    for cut in (1, 3, 20, 45):
        path.write_bytes(path.read_bytes()[:-cut])
        table = READER.read(path)
        assert len(series(table)["loss"].steps) >= 94
        assert any("cut short" in note.en for note in table.notes)


def test_one_flipped_byte_costs_one_record(write_events: Write) -> None:
    path = write_events([("loss", step, step) for step in range(1000)])
    whole = path.read_bytes()
    for place in range(20_000, 20_060, 3):
        damaged = bytearray(whole)
        damaged[place] ^= 0x40
        path.write_bytes(damaged)
        table = READER.read(path)
        steps = series(table)["loss"].steps
        assert 998 <= steps.size <= 999
        assert np.array_equal(series(table)["loss"].values, steps)
        assert len(table.notes) == 1


@pytest.mark.parametrize("junk", [b"\x00" * 5000, b"\xff" * 5000, bytes(range(256)) * 20])
def test_a_destroyed_stretch_is_reported_and_read_past(write_events: Write, junk: bytes) -> None:
    path = write_events([("loss", step, step) for step in range(1000)])
    whole = path.read_bytes()
    path.write_bytes(whole[:10_000] + junk + whole[10_000 + len(junk) :])
    table = READER.read(path)
    lost = 1000 - series(table)["loss"].steps.size
    assert len(junk) // 60 <= lost <= len(junk) // 40 + 2
    assert any("damaged from byte" in note.en for note in table.notes)


def test_a_promise_of_more_than_the_file_has(write_events: Write) -> None:
    first = write_events([("loss", step, step) for step in range(150)]).read_bytes()
    both = write_events([("loss", step, step) for step in range(300)]).read_bytes()
    header = struct.pack("<Q", 2**40)
    liar = header + struct.pack("<I", masked_crc32c(header))
    path = write_events([])
    path.write_bytes(first + liar + both[len(first) :])
    table = READER.read(path)
    assert series(table)["loss"].steps.tolist() == list(range(300))
    assert len(table.notes) == 1


def test_an_event_file_inside_a_record_is_not_read(write_events: Write, tmp_path: Path) -> None:
    inner = write_events([("inner", 1, 1.0)]).read_bytes()
    image = Summary.Image(height=1, width=1, encoded_image_string=inner * 50)
    events = [
        event(1, Summary.Value(tag="image", image=image)),
        event(2, Summary.Value(tag="loss", simple_value=1.0)),
    ]
    table = READER.read(write_messages(tmp_path / "events.out.tfevents.2", events))
    assert set(series(table)) == {"loss"}


def test_settings_in_text_records(tmp_path: Path) -> None:
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    text = '{"optim": "adamw_torch", "max_grad_norm": 1.0, "nested": {"a": 2}, "seed": null}'
    value = Summary.Value(
        tag="args/text_summary", tensor=make_tensor_proto(text.encode()), metadata=metadata
    )
    table = READER.read(write_messages(tmp_path / "events.out.tfevents.1", [event(0, value)]))
    assert table.series == ()
    assert table.config["optim"] == "adamw_torch"
    assert table.config["max_grad_norm"] == 1.0
    assert table.config["nested/a"] == 2


def text_event(tag: str, text: str, plugin: str = "text") -> Event:
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = plugin
    tensor = make_tensor_proto(text.encode())
    return event(0, Summary.Value(tag=tag, tensor=tensor, metadata=metadata))


def test_settings_one_record_each(tmp_path: Path) -> None:
    events = [
        text_event("adam_beta2", "0.95"),
        text_event("train_iters", "5000"),
        text_event("bf16", "True"),
        text_event("optimizer", "adam"),
        text_event("a long text", "first line\nsecond line"),
        text_event("model_config", "{broken"),
    ]
    config = READER.read(write_messages(tmp_path / "events.out.tfevents.1", events)).config
    assert config == {"adam_beta2": 0.95, "train_iters": 5000, "bf16": True, "optimizer": "adam"}


def test_settings_in_hparams_records() -> None:
    path = next((DATA / "lightning-checkpoints" / "tb").rglob("*tfevents*"))
    config = READER.read(path).config
    assert config["lr"] == 0.01


def test_settings_in_hparams_records_of_all_types(tmp_path: Path) -> None:
    from tensorboard.plugins.hparams.summary_v2 import hparams_pb

    settings_ = {"lr": 0.5, "fp16": True, "shuffle": False, "optimizer": "sgd"}
    message = Event(wall_time=1.7e9)
    message.summary.CopyFrom(hparams_pb(settings_, trial_id="t"))
    table = READER.read(write_messages(tmp_path / "events.out.tfevents.1", [message]))
    assert dict(table.config) == settings_


@pytest.mark.parametrize(
    "content",
    [b"", b"\x00" * 1000, b"\xff" * 1000, b"version https://git-lfs.github.com/spec/v1\n", b"x"],
)
def test_no_event_file_at_all(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(content)
    with pytest.raises(InputError):
        READER.read(path)


def test_a_header_alone_has_a_clear_reason(write_events: Write) -> None:
    with pytest.raises(InputError, match="without scalars"):
        READER.read(write_events([]))


@given(st.binary(max_size=3000))
@settings(max_examples=60, deadline=None)
def test_any_bytes_in_a_valid_frame_are_survived(tmp_path_factory: object, data: bytes) -> None:
    path = tmp_path_factory.mktemp("junk") / "events.out.tfevents.1"  # type: ignore[attr-defined]
    good = event(1, Summary.Value(tag="loss", simple_value=1.0)).SerializeToString()
    path.write_bytes(record(data) + record(good))
    assert "loss" in series(READER.read(path))


def test_recognised_by_content(write_events: Write) -> None:
    path = write_events([("loss", 1, 1.0)])
    head = path.read_bytes()
    assert READER.accepts(Path("renamed.bin"), head)
    assert not READER.accepts(Path("renamed.bin"), b"\x09" * 100)
    assert not READER.accepts(Path("log.csv"), b"step,loss\n1,2\n")
