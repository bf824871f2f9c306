"""Damaged and malicious logs end in a result or in a refusal, soon and in bounded memory.

A few inputs for each target here, and those that once did harm; `benchmarks/fuzz.py` tries them by
the million with the same code.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType

import pytest

from spikedoc.ingest.recognition import readers

HERE = Path(__file__).parent
CORPUS = HERE / "corpus"
INPUTS = int(os.environ.get("SPIKEDOC_FUZZ", "16"))
NAMES = [*readers(), "load", "analyze", "packed", "config", "report"]
# Known, so that no other reader takes them for a run, and read by a command of their own.
REFUSED = {"sample_losses"}
Benchmark = Callable[[str], ModuleType]

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="limits as Linux has them"
)


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    monkeypatch.syspath_prepend(str(HERE.parents[1] / "benchmarks"))
    return __import__


def test_every_target_is_fuzzed_here(benchmark: Benchmark) -> None:
    assert benchmark("_fuzz_targets").names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_no_input_brings_it_down(name: str, benchmark: Benchmark, tmp_path: Path) -> None:
    target = benchmark("_fuzz_targets").targets(tmp_path, [name])[name]
    guard, changed = benchmark("_fuzz_bounds").Guard(tmp_path), benchmark("fuzz").changed
    guard.look_at_files()
    is_read = target.feed(target.seeds[0].content, 0, Random(0))
    assert is_read is (name not in REFUSED), "a seed is a good log"
    for number in range(INPUTS):
        random = Random(number)
        which = random.randrange(len(target.seeds))
        content = changed(target.seeds[which].content, target.seeds[0].content, random)
        with guard.watching(len(content)):
            target.feed(content, which, random)


@pytest.mark.parametrize("name", [path.name for path in sorted(CORPUS.glob("*"))])
def test_what_did_harm_does_none(name: str, benchmark: Benchmark, tmp_path: Path) -> None:
    """Files are called by target and by what they did."""
    target = benchmark("_fuzz_targets").targets(tmp_path, [name.partition("-")[0]])
    (one,) = target.values()
    content = (CORPUS / name).read_bytes()
    guard = benchmark("_fuzz_bounds").Guard(tmp_path)
    guard.look_at_files()
    for which in range(len(one.seeds)):
        with guard.watching(len(content)):
            one.feed(content, which, Random(0))


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file that is not its own": (lambda _: Path("/root-of-all").read_bytes(), "opened"),
    "writing elsewhere": (lambda place: (place.parent / "x").write_bytes(b""), "writing"),
    "a program": (lambda _: os.system("true"), "os.system"),
    "too long": (lambda _: [None for _ in iter(int, 1)], "time"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_bound_is_noticed(
    how: str, benchmark: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bounds = benchmark("_fuzz_bounds")
    monkeypatch.setattr(bounds, "PATIENCE", 0.2)
    guard = bounds.Guard(tmp_path / "own")
    guard.look_at_files()
    act, told = BROKEN[how]
    expected = pytest.raises(bounds.BrokenBoundError, match=told)
    with expected, guard.watching(10), contextlib.suppress(OSError):
        act(tmp_path / "own")


def test_the_page_says_what_was_run(benchmark: Benchmark) -> None:
    log = benchmark("_fuzz_log")
    assert log.summary(log.read()) in log.PAGE.read_text(encoding="utf-8")


def test_the_log_adds_up(benchmark: Benchmark, tmp_path: Path) -> None:
    log = benchmark("_fuzz_log")
    one = log.Entry("csv", "blind", "1", "2020-01-01", 5, 10, 7, 1.0, {"x": 1}, 1e-6, 0.1, 99, 40)
    more = log.Entry("csv", "blind", "1", "2020-01-01", 3, 20, 5, 2.0, {"y": 2}, 2e-6, 0.3, 88, 30)
    for entries in ([one], [more], [log.replace(one, way="guided")]):
        log.add(entries, tmp_path / "log.jsonl")
    first, second = log.read(tmp_path / "log.jsonl")
    assert (first.first_seed, first.inputs, first.read, first.cpu_seconds) == (3, 30, 12, 3.0)
    assert first.exceptions == {"x": 1, "y": 2}
    assert (first.seconds_per_byte, first.slowest_bytes, first.peak_megabytes) == (2e-6, 88, 40)
    assert second.way == "guided"
    assert "| csv | 10 | 30 |" in log.summary([first, second])
    assert "40 inputs so far, of the 10,000,000" in log.summary([first, second])
