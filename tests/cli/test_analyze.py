from __future__ import annotations

import ast
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import report_factory

from spikedoc.model.codec import loads
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.text import RENDERER
from spikedoc.text import Language

Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("path", "fail_on", "code"),
    [
        ("failing", None, 1),
        ("failing", "never", 0),
        ("failing", "info", 1),
        ("warning", None, 0),
        ("warning", "warning", 1),
        ("healthy", None, 0),
        ("healthy", "warning", 0),
        ("healthy", "info", 1),
        ("unknown", "info", 2),
        ("unknown", "never", 0),
    ],
)
def test_exit_code_follows_fail_on(call: Call, path: str, fail_on: str | None, code: int) -> None:
    options = ["--fail-on", fail_on] if fail_on else []
    assert call("analyze", path, *options)[0] == code


def test_report_is_on_stdout_and_nothing_else(call: Call) -> None:
    code, out, err = call("analyze", "failing")
    assert out == RENDERER(report_factory.failing(), RenderOptions(width=100))
    assert (code, err) == (1, "")


def test_language_from_option_and_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    chinese = RENDERER(report_factory.failing(), RenderOptions(Language.ZH, width=100))
    assert call("analyze", "failing", "--lang", "zh")[1] == chinese
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert call("analyze", "failing")[1] == chinese
    assert "CRITICAL" in call("analyze", "failing", "--lang", "en")[1]


def test_several_runs_worst_first(call: Call) -> None:
    code, out, err = call("analyze", "several", "unknown")
    places = [out.index(word) for word in (" CRITICAL ", " UNKNOWN ", " HEALTHY ")]
    assert places == sorted(places)
    assert code == 1
    assert err == "spikedoc: 3 runs: 1 critical, 1 unknown, 1 healthy\n"


def test_json_is_an_object_or_an_array(call: Call) -> None:
    assert json.loads(call("analyze", "failing", "--format", "json")[1])["status"] == "critical"
    several = json.loads(call("analyze", "several", "--format", "json")[1])
    assert [item["status"] for item in several] == ["critical", "healthy"]
    lines = call("analyze", "several", "--format", "jsonl")[1].splitlines()
    assert [repr(loads(line)) for line in lines] == [
        repr(report_factory.failing()),
        repr(report_factory.healthy()),
    ]


def test_one_unreadable_path_does_not_stop_the_others(call: Call) -> None:
    code, out, err = call("analyze", "unreadable", "failing")
    assert code == 2
    assert " CRITICAL " in out
    assert err == "spikedoc: unreadable: holds no series (give a folder with a log)\n"


def test_nothing_readable(call: Call) -> None:
    code, out, err = call("analyze", "unreadable", "--quiet")
    assert (code, out) == (2, "")
    assert "holds no series" in err


def test_bad_rule_file(call: Call) -> None:
    code, out, err = call("analyze", "bad-rule", "failing")
    assert (code, out, err) == (2, "", "spikedoc: SD1.toml: prior: is missing\n")


def test_a_crash_is_one_line_exit_3_and_does_not_hide_other_runs(call: Call) -> None:
    code, out, err = call("analyze", "crash", "failing")
    assert code == 3
    assert " CRITICAL " in out
    assert err == (
        "spikedoc: internal error: ZeroDivisionError: boom; "
        "run again with --traceback and report it\n"
    )


def test_traceback_on_request(call: Call) -> None:
    code, _, err = call("analyze", "crash", "--traceback")
    assert code == 3
    assert "Traceback (most recent call last)" in err
    assert err.endswith("spikedoc: internal error: ZeroDivisionError: boom; please report it\n")


def test_interrupt(call: Call) -> None:
    code, out, err = call("analyze", "interrupt")
    assert (code, out) == (130, "")
    assert "Traceback" not in err


def test_mapping_and_rules_reach_the_pipeline(call: Call, pipeline: object, tmp_path: Path) -> None:
    call("analyze", "a/healthy", "--map", "loss=x=y", "--map", "lr=p/lr", "--rules", tmp_path)
    assert pipeline.calls == [  # type: ignore[attr-defined]
        {
            "path": "a/healthy",
            "mapping": {"loss": "x=y", "lr": "p/lr"},
            "rules": tmp_path,
            "with_charts": False,
        }
    ]
    call("analyze", "healthy")
    assert pipeline.calls[-1]["mapping"] is None  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--map", "loss"], "expected ROLE=TAG"),
        (["--map", "loss="], "expected ROLE=TAG"),
        (["--map", "los=x"], "did you mean loss?"),
        (["--map", "zzz=x"], "roles are loss, val_loss"),
        (["--map", "loss=a", "--map", "loss=b"], "given twice"),
        (["--rules", "/does/not/exist"], "does not exist"),
        (["--format", "pdf"], "pdf"),
        (["--width", "3"], "3"),
        (["--unheard"], "No such option"),
    ],
)
def test_wrong_usage_is_exit_2(call: Call, arguments: list[str], message: str) -> None:
    code, out, err = call("analyze", "healthy", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_paths_are_needed(call: Call) -> None:
    assert call("analyze")[0] == 2


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("r.md", "## spikedoc"),
        ("r.json", "{\n"),
        ("r.jsonl", '{"schema"'),
        ("r.html", "<!DOCTYPE html>\n"),
        ("r.htm", "<!DOCTYPE html>\n"),
        ("r", " CRITICAL "),
    ],
)
def test_output_file_in_the_format_of_its_suffix(
    call: Call, tmp_path: Path, name: str, start: str
) -> None:
    file = tmp_path / name
    code, out, err = call("analyze", "failing", "-o", file)
    assert (code, out) == (1, "")
    assert err == f"spikedoc: report written to {file}\n"
    assert file.read_text(encoding="utf-8").startswith(start)
    assert "\x1b" not in file.read_text(encoding="utf-8")
    assert call("analyze", "failing", "-o", file, "-q")[2] == ""


def test_format_wins_over_the_suffix(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "r.md"
    call("analyze", "failing", "-o", file, "--format", "json")
    assert json.loads(file.read_text(encoding="utf-8"))["status"] == "critical"


def test_output_that_cannot_be_written(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "missing" / "r.md"
    code, out, err = call("analyze", "healthy", "-o", file)
    assert (code, out) == (2, "")
    assert err == f"spikedoc: cannot write {file}: No such file or directory\n"


def test_colour_and_width(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in call("analyze", "failing")[1]
    assert "\x1b[" in call("analyze", "failing", "--color", "always")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in call("analyze", "failing")[1]
    assert "\x1b[" not in call("analyze", "failing", "--color", "never")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in call("analyze", "failing")[1]
    narrow = call("analyze", "failing", "--width", 60)[1]
    assert max(len(line) for line in narrow.splitlines()) <= 60
    monkeypatch.setenv("COLUMNS", "50")
    assert max(len(line) for line in call("analyze", "failing")[1].splitlines()) <= 50


def test_names_in_error_lines_cannot_act(call: Call) -> None:
    err = call("analyze", "\x1b[31mx\x1b[0m/unreadable")[2]
    assert "\x1b" not in err


def test_charts_are_made_for_the_format_that_draws_them(call: Call, pipeline: Any) -> None:
    for format_, wanted in (("html", True), ("json", True), ("jsonl", False), ("text", False)):
        call("analyze", "failing", "--format", format_)
        assert pipeline.calls[-1]["with_charts"] is wanted


def test_the_fake_pipeline_is_called_like_the_real_one(pipeline: object) -> None:
    spec = importlib.util.find_spec("spikedoc")
    assert spec is not None
    assert spec.origin is not None
    tree = ast.parse(Path(spec.origin).with_name("pipeline.py").read_text(encoding="utf-8"))
    real = next(n for n in tree.body if getattr(n, "name", "") == "analyze_all")
    assert isinstance(real, ast.FunctionDef)
    keywords = [argument.arg for argument in real.args.kwonlyargs]
    assert keywords == ["mapping", "rules", "progress", "with_charts", "budget", "observe"]
    assert [argument.arg for argument in real.args.args] == ["path"]
