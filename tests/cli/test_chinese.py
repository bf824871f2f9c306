"""Every command tells people about its work, and what is wrong with it, in their language."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
import report_factory
from fleets import write_tree
from samples_factory import write_csv

from spikedoc.cli.entry import run
from spikedoc.model.codec import dumps

LOGS = Path(__file__).parents[2] / "sample_logs"
HEALTHY = str(LOGS / "healthy_cosine_long")
REPLAY = LOGS / "replay"
WRITTEN = "spikedoc: {noun}已写入 {out}\n"

SUMMARIES = {
    "analyze": ([HEALTHY, "-o", "{out}"], WRITTEN.replace("{noun}", "报告")),
    "check": ([HEALTHY, "--no-config"], "spikedoc: 1 次训练：1 次通过，0 次未通过\n"),
    "check --write-baseline": (
        [str(LOGS / "overfit"), "--no-config", "--write-baseline", "{out}"],
        "spikedoc: 1 项发现已写入 {out}\n",
    ),
    "baseline build": (
        [HEALTHY, "-o", "{out}"],
        "次训练的",
    ),
    "compare": (
        [str(REPLAY / "first"), str(REPLAY / "first"), "-o", "{out}"],
        WRITTEN.replace("{noun}", "对比"),
    ),
    "sweep": ([str(REPLAY), "-o", "{out}"], WRITTEN.replace("{noun}", "对比")),
    "samples": (["{samples}", "-o", "{out}"], WRITTEN.replace("{noun}", "排序")),
    "series": ([HEALTHY, "-o", "{out}"], WRITTEN.replace("{noun}", "列表")),
    "convert": ([HEALTHY, "-o", "{table}"], "条曲线已写入 {table}\n"),
    "scan": (["{tree}", "--workers", "0"], "spikedoc: 4 处，用时 "),
}
ERRORS = {
    "analyze": (
        [HEALTHY, "--map", "lss=a"],
        "spikedoc: --map lss=a：没有角色 'lss'（是否想写 loss？）\n",
    ),
    "check": (
        [HEALTHY, "--format", "paper"],
        "spikedoc: --format paper：应为下列之一：text、",
    ),
    "baseline build": ([""], "spikedoc: PATH 为空；要读取当前目录，请写 .\n"),
    "compare": ([HEALTHY], f"spikedoc: {HEALTHY}：只含一次训练（compare 需要两次训练："),
    "sweep": ([HEALTHY, "-o", "a.pdf"], "spikedoc: 无法写入 a.pdf：此处没有 .pdf 格式；"),
    "series": ([HEALTHY, "-o", "{lost}"], "spikedoc: 无法写入 {lost}：没有该文件或目录\n"),
    "convert": ([HEALTHY, "--run", "x"], "spikedoc: --run x：没有该训练；现有："),
    "scan": ([], "spikedoc: 缺少 ROOT；要扫描当前目录，请写 .\n"),
    "explain": (["SD999"], "spikedoc: SD999：没有这样的规则、原因、标签、角色或问题；"),
    "report": (["{samples}"], "spikedoc: {samples}：不是 JSON："),
}
# The language of these is that of the environment.
SILENT = {"convert", "baseline build"}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, str]:
    return {
        "out": str(tmp_path / "out.txt"),
        "samples": str(write_csv(tmp_path / "losses.csv")),
        "table": str(tmp_path / "out.csv"),
        "lost": str(tmp_path / "nowhere/out.txt"),
        "tree": str(write_tree(tmp_path / "runs")),
    }


def filled(text: str, places: dict[str, str]) -> str:
    return text.format_map(places)


def told(
    command: str, words: list[str], places: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> str:
    """Return the standard error of the command in Chinese; every line of it must be Chinese."""
    lang = [] if command in SILENT else ["--lang", "zh"]
    name = command.partition(" --")[0].split()
    run([*name, *(filled(word, places) for word in words), *lang])
    err = capfd.readouterr().err
    assert err
    for line in err.splitlines():
        assert any("\u4e00" <= sign <= "\u9fff" for sign in line), line
    return err


@pytest.fixture
def surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPIKEDOC_LANG", "zh")


@pytest.mark.parametrize("command", SUMMARIES)
@pytest.mark.usefixtures("surroundings")
def test_a_summary(command: str, places: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    words, expected = SUMMARIES[command]
    assert filled(expected, places) in told(command, words, places, capfd)


@pytest.mark.parametrize("command", ERRORS)
@pytest.mark.usefixtures("surroundings")
def test_an_error(command: str, places: dict[str, str], capfd: pytest.CaptureFixture[str]) -> None:
    words, expected = ERRORS[command]
    assert filled(expected, places) in told(command, words, places, capfd)


def test_the_option_speaks_where_the_environment_does_not(
    places: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    words, expected = ERRORS["analyze"]
    assert told("analyze", words, places, capfd) == expected


def test_the_option_wins(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPIKEDOC_LANG", "zh")
    run(["scan", "--lang", "en"])
    assert capfd.readouterr().err.startswith("spikedoc: a ROOT is missing")


def test_a_console_without_chinese_signs_gets_english(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stderr", stream)
    run(["scan", "--lang", "zh"])
    assert stream.buffer.getvalue().startswith(b"spikedoc: a ROOT is missing")  # type: ignore[attr-defined]


def test_a_saved_report_that_is_damaged(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "report.json"
    file.write_text(dumps(report_factory.healthy()).replace('"status": "healthy"', '"status": 5'))
    run(["report", str(file), "--lang", "zh"])
    assert capfd.readouterr().err.startswith(
        f"spikedoc: {file}：不是 spikedoc 保存的报告：status：应为"
    )
