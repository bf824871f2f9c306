"""`spikedoc check`, on the sample logs: green on health, red on every fault."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from spikedoc.cli.entry import run

LOGS = Path(__file__).parents[2] / "sample_logs"
HEALTHY = "healthy_cosine_long"
Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Check:
    """Run the command in an empty folder; return exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(["check", *[str(argument) for argument in arguments]])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def faults() -> list[str]:
    return sorted(
        folder.name
        for folder in LOGS.iterdir()
        if (folder / "run").is_dir() and not folder.name.startswith("healthy")
    )


def test_green_on_health(check: Check) -> None:
    code, out, err = check(LOGS / HEALTHY)
    assert (code, out) == (0, f"{HEALTHY}/run: ok\n")
    assert err == "spikedoc: 1 run: 1 passed, 0 failed\n"


@pytest.mark.parametrize("name", sorted(folder.name for folder in LOGS.glob("healthy*")))
def test_green_on_every_healthy_log(check: Check, name: str) -> None:
    assert check(LOGS / name, "-q")[0] == 0


@pytest.mark.parametrize("name", faults())
def test_red_on_every_fault(check: Check, name: str) -> None:
    """Also with the baseline of a healthy run, which knows no finding and hides none."""
    code, out, _ = check(LOGS / name, "-q")
    assert (code, " FAIL " in out) == (1, True)
    assert check(LOGS / HEALTHY, "--write-baseline", "known.json", "-q")[0] == 0
    assert check(LOGS / HEALTHY, "--baseline", "known.json", "-q")[0] == 0
    assert check(LOGS / name, "--baseline", "known.json", "-q")[0] == 1


def test_the_baseline_that_the_settings_name_can_be_written_first(
    check: Check, tmp_path: Path
) -> None:
    (tmp_path / "spikedoc.toml").write_text('baseline = "known.json"\n')
    where = LOGS / "nan_in_loss_log0"
    code, _, err = check(where)
    assert code == 2
    assert "no such baseline" in err
    assert check(where, "--write-baseline", "known.json")[0] == 0
    assert check(where)[0] == 0


def test_a_threshold_by_option_and_by_file(check: Check, tmp_path: Path) -> None:
    where = LOGS / "fp16_overflow"
    assert check(where, "--select", "overfitting")[0] == 0
    assert check(where, "--ignore", "nonfinite,loss-scale-collapse")[0] == 0
    (tmp_path / "spikedoc.toml").write_text('ignore = ["nonfinite", "loss-scale-collapse"]\n')
    assert check(where)[0] == 0
    assert check(where, "--no-config")[0] == 1


def test_an_expectation_that_is_missed(check: Check, tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text("[expect]\nval_loss.final = {max = 1e-9}\n")
    code, out, _ = check(LOGS / HEALTHY, "--config", file)
    assert code == 1
    assert "FAIL expect:val_loss.final val_loss.final is " in out
    file.write_text('[expect]\nval_loss.final = {max = 1e-9, level = "warn"}\n')
    code, out, _ = check(LOGS / HEALTHY, "--config", file)
    assert (code, "note expect:val_loss.final" in out) == (0, True)


def test_a_baseline_lets_the_known_pass_and_tells_what_is_gone(check: Check) -> None:
    where = LOGS / "fp16_overflow"
    code, _, err = check(where, "--write-baseline", "known.json")
    assert (code, "findings written to known.json" in err) == (0, True)
    code, out, _ = check(where, "--baseline", "known.json")
    assert (code, "known nonfinite/" in out) == (0, True)
    code, _, err = check(LOGS / HEALTHY, "--baseline", "known.json")
    assert (code, "no longer found" in err) == (0, False)  # another run


def test_what_is_gone_is_told(check: Check, tmp_path: Path) -> None:
    entry = {"fingerprint": "0" * 16, "run": f"{HEALTHY}/run", "label": "overfitting", "signal": ""}
    content = {"schema": "spikedoc-baseline/1", "entries": [entry]}
    (tmp_path / "known.json").write_text(json.dumps(content))
    assert "overfitting : no longer found" in check(LOGS / HEALTHY, "--baseline", "known.json")[2]
    ignored = check(LOGS / HEALTHY, "--baseline", "known.json", "--ignore", "overfitting")
    assert "no longer found" not in ignored[2]


def test_an_ignored_finding_gives_no_cause(check: Check, tmp_path: Path) -> None:
    (tmp_path / "spikedoc.toml").write_text(
        'ignore = ["overfitting"]\n[expect]\nloss.max = {max = 1e-9}\n'
    )
    code, out, _ = check(LOGS / "overfit")
    assert (code, "likeliest cause" in out) == (1, False)


def test_an_entry_out_of_date_fails_again(check: Check, tmp_path: Path) -> None:
    where = LOGS / "fp16_overflow"
    check(where, "--write-baseline", "known.json")
    content = json.loads((tmp_path / "known.json").read_text())
    for entry in content["entries"]:
        entry["until"] = "2020-01-01"
    (tmp_path / "known.json").write_text(json.dumps(content))
    code, _, err = check(where, "--baseline", "known.json")
    assert (code, "out of date" in err) == (1, True)


def test_too_little_to_judge(check: Check, tmp_path: Path) -> None:
    (tmp_path / "short.csv").write_text("step,loss\n1,2.0\n2,1.9\n")
    code, out, _ = check("short.csv")
    assert (code, "UNKNOWN" in out) == (2, True)
    assert check("short.csv", "--allow-unknown")[0] == 0


def test_nothing_to_read_is_never_green(check: Check, tmp_path: Path) -> None:
    assert check("nowhere")[0] == 2
    assert check(LOGS / HEALTHY, "nowhere")[0] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "r.html"), "cannot write r.html: no format for .html here"),
        (("--format", "pdf"), "--format pdf: expected one of"),
        (("--format", "json", "--format", "junit"), "json and junit for one output"),
        (("--select", "nan"), "--select: 'nan' is not a label"),
        (("--baseline", "none.json"), "none.json: no such baseline"),
        (("--config", "none.toml"), "does not exist"),
    ],
)
def test_usage(check: Check, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = check(LOGS / HEALTHY, *arguments)
    assert (code, said in err) == (2, True)


def test_the_suffix_chooses_the_format(check: Check, tmp_path: Path) -> None:
    check(LOGS / HEALTHY, "-o", "out.xml", "-q")
    assert (tmp_path / "out.xml").read_text().startswith("<?xml")
    check(LOGS / HEALTHY, "-o", "out.json", "-q")
    assert json.loads((tmp_path / "out.json").read_text())["passed"] is True


def test_several_formats_in_one_go(check: Check, tmp_path: Path) -> None:
    where = LOGS / "fp16_overflow"
    code, out, _ = check(
        where, "--format", "junit=a.xml", "--format", "github", "--format", "json=a.json"
    )
    assert code == 1
    assert out.startswith("::error ")
    assert (tmp_path / "a.xml").read_text().startswith("<?xml")
    assert json.loads((tmp_path / "a.json").read_text())["passed"] is False


def test_the_summary_of_the_job(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "summary.md"
    target.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(target))
    check(LOGS / "fp16_overflow")
    assert target.read_text().startswith("before\n### spikedoc")
    assert "**FAIL**" in target.read_text()
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert check(LOGS / HEALTHY)[0] == 0


def test_a_role_by_hand_in_the_settings(check: Check, tmp_path: Path) -> None:
    rows = "\n".join(f"{i},{2.0 - i * 0.001}" for i in range(200))
    (tmp_path / "odd.csv").write_text(f"step,zeta\n{rows}\n")
    assert check("odd.csv")[0] == 2
    (tmp_path / "spikedoc.toml").write_text('[map]\nloss = "zeta"\n')
    assert check("odd.csv")[0] == 0


def test_a_folder_that_was_removed(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert check(LOGS / HEALTHY, "-q")[0] == 0


def test_a_summary_that_is_a_pipe(
    check: Check, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "pipe"))
    assert check(LOGS / HEALTHY)[0] == 0


def test_what_was_read_is_never_written_over(check: Check, tmp_path: Path) -> None:
    (tmp_path / "spikedoc.toml").write_text('baseline = "known.json"\n')
    where = LOGS / "nan_in_loss_log0"
    assert check(where, "--write-baseline", "known.json", "-q")[0] == 0
    known = (tmp_path / "known.json").read_text()
    for name in ("known.json", "spikedoc.toml"):
        code, _, err = check(where, "--format", f"junit={name}")
        assert (code, err) == (2, f"spikedoc: cannot write {name}: it was read here; give another "
                               "name\n")  # fmt: skip
    assert check(where, "--write-baseline", "spikedoc.toml")[0] == 2
    assert check(where, "--write-baseline", "a", "--format", "json=a")[0] == 2
    assert (tmp_path / "known.json").read_text() == known
    assert check(where, "--write-baseline", "known.json", "-q")[0] == 0


def test_a_baseline_is_written_beside_the_outputs_asked_for(check: Check, tmp_path: Path) -> None:
    (tmp_path / "spikedoc.toml").write_text('[expect]\n"loss.first" = { max = 0 }\n')
    where = LOGS / "nan_in_loss_log0"
    code, out, err = check(where, "--write-baseline", "known.json")
    assert (code, out) == (0, "")
    assert "1 check still fails: a baseline holds findings" in err
    code, out, err = check(where, "--write-baseline", "known.json", "--format", "json=a.json")
    assert (code, "known nonfinite" in out) == (0, True)
    found = json.loads((tmp_path / "a.json").read_text())["runs"][0]["checks"]
    outcomes = {one["id"]: one["outcome"] for one in found}
    assert outcomes["nonfinite/persistent"] == "known"
    assert outcomes["expect:loss.first"] == "failed"
    assert "result written to a.json" in err


def test_width_and_colour(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    where = LOGS / "fp16_overflow"
    plain = check(where, "-q")[1]
    assert check(where, "-q", "--color", "never")[1] == plain
    narrow = check(where, "-q", "--width", "60")[1]
    assert max(map(len, narrow.splitlines())) <= 60
    assert " ".join(narrow.split()) == " ".join(plain.split())
    assert "\x1b[31mFAIL\x1b[0m" in check(where, "-q", "--color", "always")[1]
    chinese = check(where, "-q", "--lang", "zh", "--width", "60")[1]
    assert max(map(cell_len, chinese.splitlines())) <= 60
    monkeypatch.setenv("LC_ALL", "C")
    assert check(where, "-q", "--lang", "en")[1].isascii()


def test_a_change_beside_a_reference(check: Check, tmp_path: Path) -> None:
    (tmp_path / "spikedoc.toml").write_text('[expect]\nloss.final = { max_increase = "30 %" }\n')
    code, _, err = check(LOGS / HEALTHY)
    assert code == 2
    assert (
        "spikedoc.toml: expect.loss.final: max_increase and max_decrease need healthy runs" in err
    )
    assert run(["baseline", "build", str(LOGS / HEALTHY), "-o", "r.json", "-q"]) == 0
    for reference in ("r.json", LOGS / HEALTHY):
        assert check(LOGS / HEALTHY, "--reference", reference)[0] == 0
        code, out, _ = check(LOGS / "healthy_noisy_small_batch", "--reference", reference)
        assert (code, "FAIL expect:loss.final" in out) == (1, True)
        assert "in healthy runs; expected at most 30 % more" in out
