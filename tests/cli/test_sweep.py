"""`spikedoc sweep`: formats, exit codes, what is asked wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from sweep_factory import DATA

from spikedoc.cli.entry import run

Sweep = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sweep(capfd: pytest.CaptureFixture[str]) -> Sweep:
    """Run the command; return exit code, standard output and error."""

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(["sweep", *[str(argument) for argument in arguments]])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def test_a_value_is_proposed(sweep: Sweep) -> None:
    code, out, err = sweep(DATA / "lr", "--lang", "en")
    assert (code, err) == (0, "")
    assert out.startswith(" PROPOSED  Use 0.03: ")


def test_chinese(sweep: Sweep) -> None:
    assert sweep(DATA / "lr", "--lang", "zh", "-o", "/dev/stdout")[1].startswith(" 建议  用 0.03：")


def test_none_can_be_proposed_and_a_batch_is_bad(sweep: Sweep) -> None:
    code, out, _ = sweep(DATA / "bad_batch")
    assert code == 1
    assert "CANNOT BE TOLD" in out
    assert "Step 83" in out


def test_runs_of_several_paths_are_one_sweep(sweep: Sweep) -> None:
    paths = [DATA / "lr" / f"lr_{rate}_seed1" for rate in ("0.001", "0.01", "0.1")]
    _, out, _ = sweep(*paths, "--format", "json")
    (found,) = json.loads(out)["sweeps"]
    assert [value["value"] for value in found["values"]] == [0.001, 0.01, 0.1]


def test_a_range_test_alone(sweep: Sweep) -> None:
    code, out, _ = sweep(DATA / "range_test")
    assert code == 0
    assert "range test within one run, not a sweep" in out.replace("\n", " ")


@pytest.mark.parametrize(
    ("name", "start"), [("a.md", "### lr"), ("a.json", "{"), ("a.txt", " PROPOSED")]
)
def test_the_suffix_says_the_format(sweep: Sweep, tmp_path: Path, name: str, start: str) -> None:
    code, out, err = sweep(DATA / "lr", "-o", tmp_path / name)
    assert (code, out) == (0, "")
    assert err == f"spikedoc: comparison written to {tmp_path / name}\n"
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_what_is_wrong_is_said_in_a_line(sweep: Sweep, tmp_path: Path) -> None:
    for arguments, words in [
        ((DATA / "lr", "--by", "depth"), "--by depth: no run has such a setting"),
        ((DATA / "lr" / "lr_0.1_seed1",), "only one run"),
        ((DATA / "lr", "-o", tmp_path / "a.html"), "no format for .html here"),
        ((tmp_path / "gone",), "gone"),
    ]:
        code, out, err = sweep(*arguments)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


def test_one_unreadable_path_does_not_hide_the_others(sweep: Sweep, tmp_path: Path) -> None:
    code, out, err = sweep(tmp_path / "gone", DATA / "lr")
    assert code == 2
    assert "PROPOSED" in out
    assert "gone" in err


def test_colour_obeys_the_environment(sweep: Sweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in sweep(DATA / "lr")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in sweep(DATA / "lr")[1]
