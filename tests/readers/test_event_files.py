"""The fast ways through an event file against a plain walk, on whole and on damaged files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from event_files import NUMBERS, OTHERS, Points, event, plain_read, value

from spikedoc.errors import InputError
from spikedoc.readers import tensorboard
from spikedoc.readers._event_points import ONE_TIME
from spikedoc.readers.base import Table

START = 1.7e9
TAGS = ("loss", "lr", "train/grad_norm", "a", "损失", "x" * 150)
CHUNKS = (900, 5000, 1_000_000)
FLOATS = st.floats(width=32) | st.sampled_from([0.0, -0.0, 1.0])
STEPS = st.sampled_from([0, 1, 100, 127, 16_000, 2**21 - 30, 2**35, 2**40, 2**55, -7, 2**62])


def read(path: Path) -> Table:
    try:
        return tensorboard.READER.read(path)
    except InputError:
        return Table()


def check(path: Path, expected: Points) -> Table:
    """The reader finds these points, in this order, bit for bit."""
    table = read(path)
    assert {one.tag for one in table.series} == set(expected)
    for one in table.series:
        steps, walls, values = zip(*expected[one.tag], strict=True)
        assert one.steps.tolist() == list(steps)
        assert one.wall_times is not None
        check_times(one.wall_times, np.array(walls))
        mine, theirs = one.values, np.array(values, dtype=np.float64)
        np.testing.assert_array_equal(mine, theirs)
        assert np.array_equal(np.signbit(mine), np.signbit(theirs))
        assert one.order is not None
        assert np.all(np.diff(one.order) >= 0)
    return table


def check_times(found: np.ndarray, logged: np.ndarray) -> None:
    """Each time is the one logged, or for tags of one row that of the first."""
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.abs(found - logged) <= ONE_TIME
    assert np.all(near | (found.view(np.uint64) == logged.view(np.uint64)))


@st.composite
def stretches(draw: st.DrawFn) -> bytes:
    """A loop that logs some values a step, as one event each or as one; others now and then."""
    slots = draw(
        st.lists(st.tuples(st.sampled_from(TAGS), st.sampled_from(NUMBERS)), min_size=1, max_size=5)
    )
    first, rounds = draw(STEPS), draw(st.sampled_from([1, 3, 12, 60, 150]))
    numbers = draw(st.lists(FLOATS, min_size=1, max_size=7))
    together = draw(st.booleans())
    other, every = draw(st.sampled_from(OTHERS)), draw(st.sampled_from([4, 50, 10_000]))
    content = bytearray()
    for turn in range(rounds):
        found = [
            value(tag, numbers[(turn + k) % len(numbers)], kind)
            for k, (tag, kind) in enumerate(slots)
        ]
        for values in [found] if together else [[one] for one in found]:
            content += event(first + turn, START + len(content) / 7, values)
        if turn % every == every - 1:
            content += event(first + turn, START, [value("other", 1.0, other)])
    return bytes(content)


FILES = st.lists(stretches(), min_size=1, max_size=4).map(b"".join)
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),  # making a file smaller byte by byte takes minutes
)


@SETTINGS
@given(FILES, st.sampled_from(CHUNKS))
def test_whole_files(tmp_path: Path, content: bytes, chunk: int) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spikedoc.readers._event_frames.CHUNK", chunk)
        table = check(path, plain_read(content))
    assert table.notes == ()


@SETTINGS
@given(FILES, st.sampled_from(CHUNKS), st.data())
def test_damaged_files(tmp_path: Path, content: bytes, chunk: int, data: st.DataObject) -> None:
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        kind = data.draw(st.sampled_from(["flip", "byte", "delete", "insert", "zero", "cut"]))
        if kind == "flip":
            damaged[place] ^= 1 << data.draw(st.integers(0, 7))
        elif kind == "byte":
            damaged[place] = data.draw(st.integers(0, 255))
        elif kind == "delete":
            del damaged[place : place + data.draw(st.integers(1, 100))]
        elif kind == "insert":
            damaged[place:place] = data.draw(st.binary(min_size=1, max_size=100))
        elif kind == "zero":
            damaged[place : place + 200] = bytes(len(damaged[place : place + 200]))
        else:
            del damaged[max(1, place) :]
        if not damaged:
            return
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(damaged)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spikedoc.readers._event_frames.CHUNK", chunk)
        check(path, plain_read(bytes(damaged)))


def loop(steps: int, tags: tuple[str, ...]) -> list[bytes]:
    """The records of a loop that logs every tag at every step; the value tells tag and step."""
    return [
        event(step, START + step, [value(tag, step + number / 8, "simple")])
        for step in range(steps)
        for number, tag in enumerate(tags)
    ]


def test_one_bad_bit_in_a_cycle_costs_one_record(tmp_path: Path) -> None:
    records = loop(700, ("loss", "lr", "acc"))
    path = tmp_path / "events.out.tfevents.1"
    hit = 1500
    for byte in range(len(records[hit])):
        broken = bytearray(records[hit])
        broken[byte] ^= 0x10
        content = b"".join([*records[:hit], broken, *records[hit + 1 :]])
        path.write_bytes(content)
        table = read(path)
        assert sum(one.steps.size for one in table.series) == len(records) - 1
        assert len(table.notes) == 1
        for number, one in enumerate(table.series):
            np.testing.assert_array_equal(one.values, one.steps + number / 8)


def test_tags_logged_together_share_their_steps(tmp_path: Path) -> None:
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(b"".join(loop(700, ("loss", "lr", "acc"))))
    first, *others = read(path).series
    assert all(one.steps is first.steps and one.order is first.order for one in others)


def test_a_tag_twice_in_a_step_keeps_its_order(tmp_path: Path) -> None:
    content = b"".join(loop(400, ("loss", "lr", "loss")))
    path = tmp_path / "events.out.tfevents.1"
    path.write_bytes(content)
    check(path, plain_read(content))
