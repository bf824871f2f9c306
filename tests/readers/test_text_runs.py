"""Runs of lines that differ in their numbers alone say what each line by itself says."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random

import numpy as np
import pytest

from spikedoc.errors import InputError
from spikedoc.readers import _text_runs
from spikedoc.readers._text_lines import CleanLine, clean_lines
from spikedoc.readers._text_reading import Reading
from spikedoc.readers._text_runs import Part, Runs
from spikedoc.readers.base import Table
from spikedoc.readers.text import READER

Lines = list[str]
LINES = 400


def loss(random: Random) -> str:
    """A loss as it is printed: a number, seldom NaN, negative or very small."""
    value = random.choice(["{:.4f}"] * 30 + ["{:.5e}", "nan", "-{:.4f}", "{:.0f}", "{}"])
    return value.format(random.expovariate(0.5))


def nanogpt(random: Random) -> Lines:
    lines = []
    for i in range(LINES):
        if i % 50 == 0:
            lines.append(f"step {i}: train loss {loss(random)}, val loss {loss(random)}")
        lines.append(f"iter {i}: loss {loss(random)}, time {random.uniform(5, 2000):.2f}ms")
    return lines


def hf(random: Random) -> Lines:
    return [
        f"{{'loss': {loss(random)}, 'learning_rate': {1e-4 / (i + 1):.8g}, 'epoch': {i / 100:.2f}}}"
        for i in range(LINES)
    ]


def megatron(random: Random) -> Lines:
    """Losses of NaN are not printed here: the counter tells of them."""
    lines = []
    for i in range(1, LINES):
        shown = "" if 200 < i < 260 else f" lm loss: {random.uniform(1, 9):.6E} |"
        nans = int(220 < i < 240)
        lines.append(
            f" [2024-05-01 12:{i // 60:02d}:{i % 60:02d}] iteration {i:8d}/    5000 |"
            f" learning rate: 1.000E-04 |{shown} loss scale: 1.0 |"
            f" number of nan iterations: {nans:3d} |"
        )
    return lines


def home_made(random: Random) -> Lines:
    lines = []
    for i in range(LINES):
        if i % 90 == 0:
            lines += [f"Epoch {i // 90}", "----------"]
        place = f"Epoch [{i // 100 + 1}/4], Step [{i % 100 + 1}/100]"
        lines.append(f"{place}, Loss: {loss(random)}, top1 {random.random():.3f}")
        if i % 7 == 0:
            lines.append(f"saved part-{i:05d}.tar in {random.random():.2f} seconds")
    return lines


def loose(random: Random) -> Lines:
    """Lines that name no place, under headings that do."""
    lines = []
    for epoch in range(20):
        lines.append(f"Epoch {epoch}")
        lines += [f"loss: {loss(random)} acc: {random.random():.3f}" for _ in range(15)]
    return lines


def mmcv(random: Random) -> Lines:
    return [
        f"2024-05-01 12:00:{i % 60:02d},123 - mmdet - INFO - Epoch [{i // 100 + 1}]"
        f"[{i % 100 + 1}/100]\tlr: 2.000e-02, eta: 1 day, 2:03:04, time: 0.512,"
        f" memory: 4000, loss: {loss(random)}"
        for i in range(LINES)
    ]


def ranks(random: Random) -> Lines:
    return [
        f"[rank{rank}]: step {i} loss {loss(random)}" for i in range(LINES // 4) for rank in (0, 1)
    ]


def trouble(random: Random) -> Lines:
    return [
        f"step {i} loss {loss(random)}" if i % 3 else f"gradient overflow at {i}, loss scale {i}.0"
        for i in range(LINES)
    ]


def grouped(random: Random) -> Lines:
    """Thousands with separators, seldom and at last always, lists and what cannot be read."""
    lines = []
    for i in range(0, 10 * LINES, 10):
        value = 10 ** random.uniform(-1, 2 + i / 1000)
        shown = random.choice([f"{value:,.3f}"] * 30 + ["None", "*****", "1,23", f"{value:_.0f}"])
        shape = ",".join(str(random.choice([1, 3, 224])) for _ in range(3))
        lines.append(f"step {i:,}/4,000 loss {shown} lr 1e-3 shape {shape}")
    return lines


def thousands(random: Random) -> Lines:
    return [f"step {i / 100:.2f}k loss {loss(random)}" for i in range(LINES)]


def lost(random: Random) -> Lines:
    """Numbers at first, none later on."""
    return [f"step {i} loss {loss(random) if i < 50 else 'None'} lr 0.5" for i in range(LINES)]


def late(random: Random) -> Lines:
    """No numbers at first, and now and then later on."""
    return [
        f"step {i} loss {loss(random) if i > 50 and i % 9 else 'None'} lr 0.5" for i in range(LINES)
    ]


WRITERS = (
    nanogpt, hf, megatron, home_made, loose, mmcv, ranks, trouble, grouped, thousands, lost, late,
)  # fmt: skip


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_log_reads_the_same_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Callable[[Random], Lines], seed: int
) -> None:
    path = tmp_path / "train.log"
    path.write_text("\n".join(writer(Random(seed))), encoding="ascii")
    quick = READER.read(path)
    monkeypatch.setattr(Runs, "take", lambda *_: 0)
    same(quick, READER.read(path))


def same(a: Table, b: Table) -> None:
    assert (a.config, a.events, a.notes, a.framework) == (b.config, b.events, b.notes, b.framework)
    assert [one.tag for one in a.series] == [one.tag for one in b.series]
    for one, other in zip(a.series, b.series, strict=True):
        np.testing.assert_array_equal(one.steps, other.steps)
        np.testing.assert_array_equal(one.values, other.values)
        np.testing.assert_array_equal(one.order, other.order)


def taken(path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Lines that were taken by runs."""
    counts = []
    take_run = _text_runs.Reading.take_run

    def counted(*arguments: object) -> int:
        counts.append(take_run(*arguments))  # type: ignore[arg-type]
        return counts[-1]

    monkeypatch.setattr(_text_runs.Reading, "take_run", counted)
    READER.read(path)
    return sum(counts)


@pytest.mark.parametrize("writer", [nanogpt, hf, megatron, home_made, mmcv])
def test_most_lines_of_usual_logs_are_taken_by_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Callable[[Random], Lines]
) -> None:
    path = tmp_path / "train.log"
    lines = writer(Random(0))
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    assert taken(path, monkeypatch) > 0.6 * len(lines)


def test_the_end_of_a_log_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    lines = [f"step {i} loss {i / 7:.4f}" for i in range(100)]
    path.write_text("\n".join(lines)[:-2], encoding="ascii")
    (series,) = READER.read(path).series
    assert series.steps.tolist() == list(range(99))


def test_lines_that_say_nothing_are_no_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "train.log"
    path.write_text("".join(f"shard {i} of 100 loaded\n" for i in range(100)), encoding="ascii")
    with pytest.raises(InputError, match="no line holds a step and a value"):
        READER.read(path)
    with pytest.raises(InputError):
        taken(path, monkeypatch)


def in_parts(text: str, parts: int) -> list[Table]:
    """The lines dealt out to as many parts, each but the first behind another."""
    dealt: list[Part] = []
    for _ in range(parts):
        dealt.append(Part(Reading(Path("train.log")), dealt[-1] if dealt else None))
    for place, line in enumerate(clean_lines(BytesIO(text.encode()))):
        dealt[place % parts].add(line)
    return [part.whole().table() for part in dealt]


@pytest.mark.parametrize("last", ["step 299 loss 0.25\n", "step 299 loss 0.25"])
@pytest.mark.parametrize("name", ["loss", "потери"])
def test_parts_are_read_as_a_log_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: str, name: str
) -> None:
    text = "".join(f"step {i} {name}: {2 / (i + 1):.4f}\n" for i in range(299)) + last
    singly: list[str] = []
    take = Reading.take

    def counted(reading: Reading, line: CleanLine) -> None:
        singly.append(line.text)
        take(reading, line)

    lines = text.splitlines(keepends=True)
    expected = []
    for part in range(3):
        path = tmp_path / f"{part}.log"
        path.write_text("".join(lines[part::3]), encoding="utf-8")
        expected.append(READER.read(path))
    monkeypatch.setattr(Reading, "take", counted)
    found = in_parts(text, 3)
    for one, other in zip(found, expected, strict=True):
        (mine,), (theirs,) = one.series, other.series
        assert mine.steps.tolist() == theirs.steps.tolist()
        assert mine.values.tolist() == theirs.values.tolist()
    assert len(singly) < len(lines) / 6  # the patterns of the first part serve the others
