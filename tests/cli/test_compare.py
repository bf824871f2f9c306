"""`spikedoc compare`: paths, formats, exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pairs import curve

from spikedoc.cli.compare import formats
from spikedoc.cli.entry import run
from spikedoc.comparison.result import Change

REPLAY = Path(__file__).parents[2] / "sample_logs/replay"
A = REPLAY / "first"
Compare = Callable[..., tuple[int, str, str]]


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Compare:
    monkeypatch.setenv("LANG", "C.UTF-8")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(["compare", *[str(argument) for argument in arguments]])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_exit_codes_of_a_comparison(compare: Compare, tmp_path: Path) -> None:
    assert compare(A, A)[0] == 0
    assert compare(A, REPLAY / "lower_lr")[0] == 1
    assert compare(A, REPLAY / "lower_lr", "--fail-on", "never")[0] == 0
    short = tmp_path / "short.csv"
    short.write_text("step,loss\n1,2.0\n2,1.9\n")
    assert compare(A, short)[0] == 2


def test_exit_codes_of_a_replay(compare: Compare, tmp_path: Path) -> None:
    assert compare(A, REPLAY / "same", "--replay")[0] == 1
    assert compare(A, REPLAY / "other_data", "--replay")[0] == 0
    assert compare(REPLAY / "other_seed", A, "--replay")[0] == 2


def test_to_say_what_was_changed_asks_for_a_replay(compare: Compare) -> None:
    code, out, _ = compare(A, REPLAY / "same", "--changed", "data", "--format", "json")
    assert code == 1
    found = json.loads(out)["replay"]
    assert (found["verdict"], found["change"], found["source"]) == ("same-step", "data", "told")


def test_every_change_can_be_said(compare: Compare) -> None:
    for change in Change:
        assert compare(A, REPLAY / "same", "--changed", change.value)[0] == 1


def test_formats_and_suffixes(compare: Compare, tmp_path: Path) -> None:
    assert formats() == ["text", "json", "markdown"]
    for suffix, begin in ((".md", "## Two runs"), (".json", "{"), (".txt", " identical ")):
        file = tmp_path / f"out{suffix}"
        assert compare(A, A, "-o", file) == (0, "", f"spikedoc: comparison written to {file}\n")
        assert file.read_text("utf-8").startswith(begin)
    code, _, err = compare(A, A, "-o", tmp_path / "out.pdf")
    assert (code, "choose one with --format" in err) == (2, True)
    code, _, err = compare(A, A, "--format", "xml")
    assert (code, "'xml' is not one of 'text', 'json', 'markdown'" in err) == (2, True)


def test_a_place_that_both_spike_at_is_told_when_chance_does_not_explain_it(
    compare: Compare, tmp_path: Path
) -> None:
    files = []
    for seed in (1, 2):
        loss = curve(seed, n=20_000)
        loss[14_320] *= 8.0
        files.append(tmp_path / f"{seed}.csv")
        rows = [f"{step},{value:.5f}" for step, value in enumerate(loss.tolist(), 1)]
        files[-1].write_text("\n".join(["step,loss", *rows]))
    _, out, _ = compare(*files, "--width", 400)
    assert "Step 14321 spikes in 2 of 2 runs (A, B)." in out


def test_a_reference_is_healthy_runs_or_a_file_of_them(compare: Compare, tmp_path: Path) -> None:
    healthy = REPLAY / "lower_lr"
    file = tmp_path / "reference.json"
    assert run(["baseline", "build", str(healthy), "-o", str(file), "-q"]) == 0
    by_runs = compare(A, A, "--reference", healthy)
    assert by_runs == compare(A, A, "--reference", file)
    assert "A leaves the bands of 1 healthy run first in `lr`" in by_runs[1]
    assert compare(A, A, "--reference", tmp_path / "gone")[0] == 2


def test_language_and_width(compare: Compare) -> None:
    _, out, _ = compare(A, A, "--lang", "zh", "--width", 60)
    assert out.startswith(" 相同 ")


def test_one_file_with_two_runs(compare: Compare, tmp_path: Path) -> None:
    lines = [f"step {i}: loss {5.0 / i + 1:.4f}\n" for i in range(1, 61)]
    file = tmp_path / "paste.txt"
    file.write_text("".join(lines) + "--- again\n" + "".join(lines))
    code, out, _ = compare(file)
    assert code == 0
    assert out.startswith(" identical ")
    assert "\nB  again: " in out


def test_paths_that_do_not_fit(compare: Compare, tmp_path: Path) -> None:
    code, _, err = compare(A)
    assert code == 2
    assert "holds one run (compare takes two: give both paths)" in err
    code, _, err = compare(A, A, A)
    assert (code, err) == (2, "spikedoc: compare takes two paths, or one that holds two runs\n")
    code, _, err = compare(REPLAY, A)
    assert code == 2
    assert "holds 6 runs" in err
    assert "give the path of one" in err
    assert compare(A, tmp_path / "missing")[0] == 2


def test_a_mapping_counts_for_both(compare: Compare, tmp_path: Path) -> None:
    for name, factor in (("a", 1.0), ("b", 2.0)):
        rows = "".join(f"{i},{factor * (5.0 / i + 1):.5f}\n" for i in range(1, 101))
        (tmp_path / f"{name}.csv").write_text("step,zeta\n" + rows)
    code, out, _ = compare(
        tmp_path / "a.csv", tmp_path / "b.csv", "--map", "loss=zeta", "--format", "json"
    )
    assert code == 1
    assert json.loads(out)["signals"][0]["constant_ratio"] == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("offset", [10**21, -(2**63), 2**63 - 1])
def test_an_offset_beyond_all_steps_is_refused(compare: Compare, offset: int) -> None:
    code, out, err = compare(A, REPLAY / "same", "--offset", offset)
    assert (code, out) == (2, "")
    assert "--offset" in err


def test_an_offset(compare: Compare) -> None:
    _, out, _ = compare(A, REPLAY / "same", "--offset", 7, "--format", "json")
    assert json.loads(out)["offset"] == 7
