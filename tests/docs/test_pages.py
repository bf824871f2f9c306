"""The pages: generated ones fresh, commands documented, links whole, nothing out of place."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

import spikedoc.readers
from spikedoc.cli.entry import commands
from spikedoc.model.label import FORMS, Kind
from spikedoc.model.metric import Metric
from spikedoc.plugins import discover
from spikedoc.renderers._wording import LEAST_TO_LEAD
from spikedoc.rules import engine
from spikedoc.rules.loader import load_catalog
from spikedoc.version import VERSION

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("sample_logs/*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
CODE_SPAN = re.compile(r"`[^`\n]*`")
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Whatever the pages speak of, not the machine or the index they were written beside.
FORBIDDEN = re.compile(
    r"/(?:root|work|home|tmp|opt|mnt)/|pypi\.|pythonhosted|index-url|mirrors?\.[a-z]", re.IGNORECASE
)


@cache
def generate() -> ModuleType:
    """Return docs/generate.py as a module."""
    sys.path.insert(0, str(DOCS))
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def generated() -> dict[str, str]:
    return generate().generated_pages()


def hand_written() -> Iterator[Path]:
    yield from generate().hand_written_pages()


# ------------------------------------------------------------------------------- generated pages


def test_generated_pages_are_fresh() -> None:
    assert generate().stale(generated()) == []


def test_lists_and_console_blocks_show_what_the_program_has_and_prints() -> None:
    found, problems = generate().filled_pages()
    assert problems == []
    assert {"README.md", "docs/tutorial.md", "docs/zh/README.md"} <= set(found)
    assert "docs/reference/log-formats.md" in found
    for name, text in found.items():
        assert (ROOT / name).read_text("utf-8") == text, f"{name}: run python docs/generate.py"


def test_every_console_block_is_run() -> None:
    """A block of another layout would be shown as it once was."""
    for page in hand_written():
        text = page.read_text("utf-8")
        assert len(generate().BLOCK.findall(text)) == text.count("```console\n"), page.name


def test_a_stale_a_missing_and_a_left_over_page_are_named(tmp_path: Path) -> None:
    pages = {"docs/reference/rules/a.md": "one\ntwo\n", "docs/reference/rules/b.md": "three\n"}
    folder = tmp_path / "docs/reference/rules"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("one\nTWO\n")
    (folder / "c.md").write_text("four\n")
    told = dict(generate().stale(pages, tmp_path))
    assert told["docs/reference/rules/b.md"] == "missing"
    assert told["docs/reference/rules/c.md"] == "left over"
    assert "-TWO" in told["docs/reference/rules/a.md"]
    assert "+two" in told["docs/reference/rules/a.md"]
    assert generate().write(pages, tmp_path) == 3
    assert generate().stale(pages, tmp_path) == []
    assert not (folder / "c.md").exists()


def test_every_rule_has_a_page_in_both_languages_with_the_same_headings() -> None:
    headings = {
        "docs/reference/rules": [
            *("What it means", "Why it happens", "When it is not a fault", "What speaks for it"),
            *("How to check", "How to fix", "Example", "Sources", "See also"),
        ],
        "docs/zh/rules": [
            *("含义", "为什么会发生", "什么情况下不算故障", "哪些证据支持它"),
            *("如何检查", "如何修复", "示例", "来源", "另见"),
        ],
    }
    for folder, wanted in headings.items():
        for rule in load_catalog().rules:
            page = generated()[f"{folder}/{rule.name}.md"]
            assert re.findall(r"^## (.*)$", page, re.MULTILINE) == wanted, rule.name


def test_a_rule_page_says_all_that_the_rule_says() -> None:
    rule = load_catalog().rule("fp16-overflow")
    assert rule is not None
    english = generated()[f"docs/reference/rules/{rule.name}.md"]
    chinese = generated()[f"docs/zh/rules/{rule.name}.md"]
    for weight in rule.weights:
        assert f"`{weight.probe}`" in english
        assert f"`{weight.probe}`" in chinese
    for action in (*rule.checks, *rule.fixes):
        text = action.unmeasured or action.text
        assert text.en in english, action.id
        assert text.zh in chinese, action.id
    assert "`loss_scale`" in english


def test_labels_and_quantities_are_complete() -> None:
    labels = generated()["docs/reference/labels.md"]
    for kind in Kind:
        assert f"\n## {kind.value}\n" in labels
        for form in FORMS.get(kind, ()):
            assert f"| `{form.value}` |" in labels
    for metric in Metric:
        assert f"| `{metric.value}` |" in generated()["docs/reference/metrics.md"]


def test_what_github_takes_for_markup_is_escaped() -> None:
    from _generate.markup import prose, source, table

    assert prose("a < b * c, `x < y * z`") == r"a &lt; b \* c, `x < y * z`"
    assert (
        source("P: arXiv:2210.02414") == "P: [arXiv:2210.02414](https://arxiv.org/abs/2210.02414)"
    )
    assert table(["a"], [["x | y"]]).endswith(r"| x \| y |")


def test_every_reader_is_listed() -> None:
    page = (DOCS / "reference/log-formats.md").read_text("utf-8")
    for name in discover(spikedoc.readers, "READER"):
        assert re.search(rf"^- `{name}`: [A-Z\w].*\.$", page, re.MULTILINE), name


# ------------------------------------------------------------------------------ hand-written pages


@pytest.mark.parametrize("command", sorted(commands.commands))
def test_every_command_occurs_in_a_page_written_by_hand(command: str) -> None:
    assert any(f"spikedoc {command}" in page.read_text("utf-8") for page in hand_written())


def test_the_exit_codes_are_in_the_readme() -> None:
    for name in ("README.md", "docs/zh/README.md"):
        text = (ROOT / name).read_text("utf-8")
        assert re.findall(r"^\| (\d) \|", text, re.MULTILINE) == ["0", "1", "2", "3"], name


def test_the_page_on_ranking_has_the_numbers_of_the_engine() -> None:
    text = (DOCS / "explanation/how-findings-are-ranked.md").read_text("utf-8")
    rows = re.findall(r"^\| \w[\w ]* \| (?:× )?([\d.]+) \| (?:× )?([\d.]+) \|$", text, re.MULTILINE)
    assert [float(yes) for yes, _ in rows] == list(engine.SUPPORT_FACTOR)
    assert [float(no) for _, no in rows] == list(engine.REFUTE_FACTOR)
    assert f"a constant of {engine.OTHER_WEIGHT:g}" in text
    assert f"Causes with a share below {engine.MIN_SHARE:g}" in text
    assert f"its odds multiplied by {engine.SHARE_ODDS:g}" in text
    for severity, weight in engine.SEVERITY_WEIGHT.items():
        assert re.search(rf"`{severity.value}`\s+{weight:g}\b", text), severity


def test_the_page_on_scores_has_the_numbers_of_the_engine() -> None:
    text = (DOCS / "explanation/how-sure.md").read_text("utf-8")
    assert f"= {engine.SHARE_ODDS:g} × share" in text
    assert f"its score is at least {LEAST_TO_LEAD:g}" in text
    rows = (re.search(rf"^\| {name} \|(.*)\|$", text, re.MULTILINE) for name in ("Share", "Score"))
    shares, scores = (row.group(1).split("|") for row in rows if row is not None)
    for share, score in zip(shares, scores, strict=True):
        assert f"{engine.likelihood(float(share)):.2f}" == score.strip()


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    text = FENCE.sub("", (ROOT / name).read_text("utf-8"))
    for target in LINK.findall(CODE_SPAN.sub("``", text)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        page = (ROOT / name).parent / path if path else ROOT / name
        assert page.exists(), f"{name}: {target}"
        if anchor:
            assert anchor in anchors(page), f"{name}: {target}"


@cache
def anchors(page: Path) -> frozenset[str]:
    """Return the anchors GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text("utf-8")), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles)


@pytest.mark.parametrize("name", NAMES)
def test_pages_name_no_machine_and_no_index(name: str) -> None:
    assert FORBIDDEN.findall((ROOT / name).read_text("utf-8")) == []


def test_the_gate_and_the_benchmarks_name_no_machine_and_no_index() -> None:
    files = [ROOT / ".ci/run", ROOT / "pyproject.toml", *(ROOT / "benchmarks").glob("*.py")]
    for file in [*files, *DOCS.rglob("*.py")]:
        assert FORBIDDEN.findall(file.read_text("utf-8")) == [], file.name


PAGES_WITH_PYTHON = [
    *("README.md", "docs/zh/README.md", "docs/how-to/ci-gate.md"),
    *("docs/how-to/use-in-python.md", "docs/zh/how-to/use-in-python.md"),
]


@pytest.mark.parametrize("name", PAGES_WITH_PYTHON)
def test_python_in_the_pages_runs(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "sample_logs").symlink_to(ROOT / "sample_logs")  # what they save stays out of it
    monkeypatch.chdir(tmp_path)
    blocks = PYTHON.findall((ROOT / name).read_text("utf-8"))
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        exec(compile(block, name, "exec"), names)
        for key, value in names.items():
            if key.startswith("test_") and callable(value):
                value()
    if name.endswith("README.md"):
        assert "SD404" in capsys.readouterr().out


def test_the_two_commands_are_the_same_in_both_languages() -> None:
    def lines(name: str) -> list[str]:
        text = (ROOT / name).read_text("utf-8").replace(" --lang zh\n", "\n")
        return [line for line in text.split("\n") if line.startswith("python3 -m venv")]

    assert lines("README.md") == lines("docs/zh/README.md")
    assert len(lines("README.md")) == 2


def test_the_changelog_has_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert changes.index("## [Unreleased]") < changes.index(f"## [{VERSION}]")


def test_both_languages_have_the_same_pages() -> None:
    english = {name.rpartition("/")[2] for name in generated() if "reference/rules/" in name}
    chinese = {name.rpartition("/")[2] for name in generated() if "zh/rules/" in name}
    assert english == chinese
