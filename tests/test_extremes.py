"""Numbers at the edges of what a step or a loss can be, and shapes that claim the memory.

Each ends with a report and a note, or with one clear line.
"""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

import spikedoc
from spikedoc.errors import InputError
from spikedoc.ingest import load_runs
from spikedoc.model.run import Run
from spikedoc.readers import _text_unread, jsonl

N = 200
MIB = 1 << 20
UNFIT = "step is no step column: its numbers are fractions or beyond 2^53"


def write_csv(path: Path, steps: list[object], losses: list[object]) -> None:
    rows = "".join(f"{step},{loss}\n" for step, loss in zip(steps, losses, strict=True))
    path.write_text(f"step,loss\n{rows}")


def write_jsonl(path: Path, steps: list[object], losses: list[object]) -> None:
    pairs = zip(steps, losses, strict=True)
    path.write_text("".join(f'{{"step": {step}, "loss": {loss}}}\n' for step, loss in pairs))


WRITERS: dict[str, Callable[[Path, list[object], list[object]], None]] = {
    "log.csv": write_csv,
    "log.jsonl": write_jsonl,
}
FALLING: list[object] = [2.0 / (i + 1) for i in range(N)]


def run_of(path: Path) -> Run:
    (run,) = load_runs(path)
    return run


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "steps",
    [
        [2**63 + i for i in range(N)],
        [10**30 + i for i in range(N)],
        [2**63 - 1 - N + i for i in range(N)],
        [-(2**63) + i for i in range(N)],
        [i / 7 for i in range(N)],
    ],
    ids=["2^63", "10^30", "largest", "smallest", "fractions"],
)
def test_what_can_be_no_step_is_told(name: str, steps: list[object], tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name, steps, FALLING)
    run = run_of(tmp_path / name)
    assert [series.steps.tolist() for series in run.series if series.tag == "loss"] == [
        list(range(N))
    ]
    (source,) = run.sources
    assert UNFIT in [note.en for note in source.notes]
    assert all(note.zh != note.en for note in source.notes)


@pytest.mark.parametrize("name", WRITERS)
def test_steps_below_zero_are_steps(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name, [i - N for i in range(N)], FALLING)
    run = run_of(tmp_path / name)
    (loss,) = (series for series in run.series if series.tag == "loss")
    assert loss.steps.tolist() == [i - N for i in range(N)]


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    "losses",
    [
        [5e-324 * (1 + i % 3) for i in range(N)],
        ["-0.0" if i % 2 else "0.0" for i in range(N)],
        ["1.7e308" if i % 2 else "-1.7e308" for i in range(N)],
    ],
    ids=["subnormal", "zeros", "largest"],
)
def test_losses_at_the_edges_of_doubles_have_a_report(
    name: str, losses: list[object], tmp_path: Path
) -> None:
    WRITERS[name](tmp_path / name, list(range(N)), losses)
    report = spikedoc.analyze(tmp_path / name)
    for text in (report.to_json(), report.to_text(), report.to_markdown(lang="zh")):
        assert text


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_json_nested_without_end_is_left_out_or_refused(depth: int, tmp_path: Path) -> None:
    nested = "[" * depth + "]" * depth
    rows = "".join(f'{{"step": {i}, "loss": {2 / (i + 1)}}}\n' for i in range(N))
    (tmp_path / "log.jsonl").write_text(f'{{"step": -1, "x": {nested}}}\n{rows}')
    loss = next(one for one in run_of(tmp_path / "log.jsonl").series)
    assert len(loss) == N
    for name, text in {
        "a.json": nested,
        "trainer_state.json": f'{{"log_history": {nested}}}',
    }.items():
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError):
            spikedoc.analyze(tmp_path / name)


def test_a_first_line_without_end_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_text_unread, "ENDLESS_LINE", 1 << 17)
    (tmp_path / "log.csv").write_text("step,loss," + "x" * (1 << 18) + "\n1,2,3\n2,3,4\n")
    with pytest.raises(InputError, match="its first line is longer than 16 MB"):
        spikedoc.analyze(tmp_path / "log.csv")


def test_records_longer_than_any_are_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "LONGEST_LINE", 1 << 17)
    monkeypatch.setattr(jsonl, "BLOCK_BYTES", 1 << 16)
    row = ", ".join(f'"c{i}": 1.5' for i in range(20_000))
    (tmp_path / "wide.jsonl").write_text(f'{{"step": 0, {row}}}\n{{"step": 1, {row}}}\n')
    with pytest.raises(InputError, match="lines of more than 4 MB are no records"):
        spikedoc.analyze(tmp_path / "wide.jsonl")


def test_columns_without_number_end_at_a_bound(tmp_path: Path) -> None:
    count = 6_000
    head = ",".join(f"c{i}" for i in range(count))
    row = ",".join(["1.5"] * count)
    (tmp_path / "wide.csv").write_text(f"step,{head}\n" + "".join(f"{i},{row}\n" for i in range(4)))
    (source,) = run_of(tmp_path / "wide.csv").sources
    assert "6001 columns; those after the first 5000 were left out" in [n.en for n in source.notes]


@pytest.mark.parametrize("ending", ["gz", "xz", "zst"])
def test_a_packed_file_of_nothing_is_refused(ending: str, tmp_path: Path) -> None:
    content = b"\0" * (64 * MIB)
    packed = {
        "gz": gzip.compress,
        "xz": lambda data: lzma.compress(data, preset=0),
        "zst": zstandard.ZstdCompressor().compress,
    }[ending](content)
    assert len(packed) < MIB
    (tmp_path / f"log.csv.{ending}").write_bytes(packed)
    with pytest.raises(InputError, match="NUL"):
        spikedoc.analyze(tmp_path / f"log.csv.{ending}")
