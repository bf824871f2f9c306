"""`spikedoc baseline`, and the gate with what it wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from spikedoc.cli.entry import run

Call = Callable[..., tuple[int, str, str]]


def write(name: str, seed: int, factor: float = 1.0) -> str:
    rng = np.random.default_rng([4, seed])
    loss = (0.5 + 2.0 * np.exp(-np.arange(600) / 80.0)) * np.exp(rng.normal(0.0, 0.05, 600))
    norm = np.exp(rng.normal(0.0, 0.1, 600))
    norm[300:] *= factor
    rows = [f"{i},{a},{b}" for i, (a, b) in enumerate(zip(loss, norm, strict=True))]
    Path(name).mkdir(parents=True)
    Path(name, "log.csv").write_text("\n".join(["step,loss,grad_norm", *rows]))
    return name


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Call:
    """Run a command in an empty folder with healthy runs in `good`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    for seed in range(5):
        write(f"good/{seed}", seed)

    def spikedoc(*arguments: str) -> tuple[int, str, str]:
        code = run(list(arguments))
        out, err = capfd.readouterr()
        return code, out, err

    return spikedoc


def test_build_show_and_check(call: Call) -> None:
    code, out, err = call("baseline", "build", "good", "-o", "reference.json")
    assert (code, out) == (0, "")
    assert err == "spikedoc: 2 bands from 5 runs written to reference.json\n"
    code, out, _ = call("baseline", "show", "reference.json")
    lines = out.splitlines()
    assert lines[0].startswith("5 healthy runs: ")
    assert lines[1] == "along steps 0 to 599"
    assert [line.split()[0] for line in lines[3:]] == ["signal", "grad_norm", "loss"]
    assert lines[4].endswith("either way")
    assert lines[5].endswith("above it")
    assert "高于区间" in call("baseline", "show", "reference.json", "--lang", "zh")[1]
    write("new", 77)
    write("bad", 78, factor=3.0)
    assert call("check", "new", "--reference", "reference.json")[0] == 0
    code, out, _ = call("check", "bad", "--reference", "reference.json")
    assert code == 1
    assert "FAIL reference:300 grad_norm left its band first, at step 300, by " in out
    assert "FAIL reference:grad_norm:300 grad_norm rises above the band of 5 healthy runs" in out


def test_the_runs_themselves_and_the_settings_file(call: Call) -> None:
    write("bad", 78, factor=3.0)
    assert call("check", "bad")[0] == 0
    assert call("check", "bad", "--reference", "good")[0] == 1
    Path("spikedoc.toml").write_text('reference = "good"\n')
    assert call("check", "bad")[0] == 1
    assert call("check", "bad", "--no-config")[0] == 0


def test_the_same_bytes_on_the_standard_output(call: Call) -> None:
    call("baseline", "build", "good", "-o", "a.json", "-q")
    code, out, err = call("baseline", "build", "good", "-q")
    assert (code, err) == (0, "")
    assert out == Path("a.json").read_text()
    assert json.loads(out)["schema"] == "spikedoc-reference/1"


def test_one_run_is_said_to_be_little(call: Call) -> None:
    code, _, err = call("baseline", "build", "good/0", "-o", "a.json")
    assert code == 0
    assert "bands are guesses" in err


def test_nothing_is_written_of_nothing_healthy(call: Call) -> None:
    Path("lost").mkdir()
    rows = "\n".join(f"{i},{'nan' if i > 100 else 2 / (i + 1)}" for i in range(300))
    Path("lost/log.csv").write_text(f"step,loss\n{rows}\n")
    code, out, err = call("baseline", "build", "lost", "-o", "a.json")
    assert (code, out, Path("a.json").exists()) == (1, "", False)
    assert "not healthy" in err
    assert call("baseline", "build", "lost", "-o", "a.json", "--force")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("baseline", "show", "none.json"), "none.json: no such reference"),
        (("baseline", "show", "good/0/log.csv"), "cannot be read as a reference"),
        (("baseline", "build", "nowhere"), "nowhere"),
        (("check", "good/0", "--reference", "nowhere"), "does not exist"),
    ],
)
def test_usage(call: Call, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = call(*arguments)
    assert (code, said in err) == (2, True)
