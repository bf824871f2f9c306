from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
import report_factory
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from spikedoc.model.report import Report
from spikedoc.renderers._github import Block, code, fit, plain, prose, table
from spikedoc.renderers._several import fair_shares
from spikedoc.renderers._strings import Words
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.markdown import RENDER_ALL, RENDERER
from spikedoc.text import Language, Text

GITHUB = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")


def shown(markdown: str) -> str:
    """Return the text that a reader sees, by an independent Markdown parser."""
    html = GITHUB.render(markdown)
    text = re.sub(r"<[^>]+>", "", html)
    for entity, sign in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        text = text.replace(entity, sign)
    return text.strip().replace("\u200b", "")


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("case", report_factory.ALL)
def test_golden(case: str, language: Language, golden: Callable[[str, str], None]) -> None:
    text = RENDERER(report_factory.ALL[case](), RenderOptions(language))
    golden(f"{case}.{language.value}.md", text)


@pytest.mark.parametrize(
    "text",
    [
        "a | b",
        "*bold* _it_ __x__ ~~gone~~",
        "<img src=x onerror=alert(1)>",
        "&lt; &amp;",
        "[link](http://x)",
        "![image](http://x)",
        "# heading",
        "- item",
        "1. item",
        "1) item",
        "> quote",
        "=== x",
        "a\\*b",
        "$x^2$",
        "grad_norm of layer_0_weight",
        "</details><script>",
        "损失 | 变为 *NaN*",
    ],
)
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert shown(plain(text)) == text
    assert GITHUB.render(plain(text)).startswith("<p>")
    cell = table(["a"], [[plain(text)]])
    assert shown(cell).replace("\n", "").removeprefix("a").strip() == text


def test_mentions_and_issue_numbers_do_not_act() -> None:
    for text in (plain("@octocat sees #12 and GH-7"), prose("@octocat sees #12 and GH-7")):
        assert not re.search(r"[@#]\w|GH-\d", text)


def test_code_spans_of_the_catalogue_stay_code() -> None:
    assert prose("call `a|b` and `c`*") == "call `a|b` and `c`\\*"
    assert "<code>a|b</code>" in GITHUB.render(table(["x"], [[prose("call `a|b`")]]))


def test_an_odd_backtick_opens_nothing() -> None:
    assert "<code>" not in GITHUB.render(prose("a ` b"))
    assert GITHUB.render(code("a`b")).count("<code>") == 1


# A run of backticks, what it encloses, and a run of the same length.
CODE_SPAN = re.compile(r"(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")


def test_hostile_names_give_no_tags_and_no_escapes() -> None:
    for language in Language:
        text = RENDERER(report_factory.hostile(), RenderOptions(language))
        outside_code = CODE_SPAN.sub("", text)
        tags = set(re.findall(r"<(/?\w+)", outside_code))
        assert tags <= {"details", "/details", "summary", "/summary", "sub", "/sub"}
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "@octocat" not in outside_code
        assert "#12" not in outside_code


def test_no_path_tells_whose_machine_it_was() -> None:
    for report in (report_factory.failing(), report_factory.hostile()):
        text = RENDERER(report, RenderOptions())
        assert "alice" not in text
        assert "/home/" not in text


def test_details_are_closed_and_have_empty_lines() -> None:
    text = RENDERER(report_factory.failing(), RenderOptions())
    assert text.count("<details>") == text.count("</details>") >= 3
    assert text.count("</summary>\n\n") == text.count("<details>")


def huge(times: int) -> Report:
    base = report_factory.failing()
    long = Text("long | sentence with `code` " * 40, "很长的一句话，包含 `code` " * 60)
    evidence = tuple(replace(e, statement=long) for e in base.causes[0].evidence) * times
    rule = replace(base.causes[0].rule, title=long)
    causes = tuple(
        replace(base.causes[0], rank=i + 1, evidence=evidence, rule=rule) for i in range(times)
    )
    return replace(
        base,
        headline=long,
        findings=tuple(replace(f, summary=long) for f in base.findings) * times,
        causes=causes,
        checklist=tuple(
            replace(item, check=replace(item.check, text=long)) for item in base.checklist
        )
        * times,
        gaps=base.gaps * times,
        limits=(long,) * times,
        notes=(long,) * times,
    )


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("times", [2, 8, 40])
def test_an_issue_takes_it_however_long_the_report(times: int, language: Language) -> None:
    text = RENDERER(huge(times), RenderOptions(language))
    assert len(text) <= 60_000
    assert text.count("<details>") == text.count("</details>")
    assert "## spikedoc" in text


def test_what_was_left_out_is_said_and_least_important_goes_first() -> None:
    text = RENDERER(huge(40), RenderOptions())
    assert "Left out to fit an issue" in text
    assert "Settings found beside the log" in text.split("Left out to fit an issue")[1]
    assert "### What happened" in text


def test_fit_drops_the_highest_tier_first() -> None:
    blocks = [Block(0, "head", "x" * 10), Block(2, "b", "y" * 50), Block(1, "c", "z" * 50)]
    kept, dropped = fit(blocks, 80)
    assert [block.name for block in kept] == ["head", "c"]
    assert dropped == ["b"]
    assert fit(blocks, 1000) == (blocks, [])


def test_several_reports_have_a_rule_between_them() -> None:
    made = [make() for make in report_factory.ALL.values()]
    joined = RENDER_ALL(made, RenderOptions())
    assert joined == "\n---\n\n".join(RENDERER(one, RenderOptions()) for one in made)
    assert "<hr" in GITHUB.render(joined)


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("count", [2, 12, 30, 500])
def test_an_issue_takes_all_runs_together(count: int, language: Language) -> None:
    base = [huge(8), *(make() for make in report_factory.ALL.values()), report_factory.hostile()]
    made = [
        replace(one, run=replace(one.run, name=f"run-{i}"))
        for i, one in enumerate((base * count)[:count])
    ]
    text = RENDER_ALL(made, RenderOptions(language))
    assert len(text) <= 60_000
    assert text.endswith("\n")
    assert text.count("<details>") == text.count("</details>")
    if not text.startswith(f"## {Words(language)('markdown.runs', n=count)}\n"):
        assert count == 2
        return
    for one in made[:60]:
        assert f"`{one.run.name}`" in text
    if count == 500:
        assert Words(language)("markdown.rows_left_out", n=440) in text
    reports = text.count("\n---\n")
    if reports < count:
        assert Words(language)("markdown.listed_only", n=count - reports) in text
        assert len(text) > 30_000, "there was room for more"


def test_cut_reports_say_what_they_lack_and_short_ones_are_whole() -> None:
    made = [huge(40), report_factory.healthy(), huge(40)]
    text = RENDER_ALL(made, RenderOptions())
    assert RENDERER(made[1], RenderOptions()) in text
    assert text.count("Left out to fit an issue") == 2
    assert text.count("\n---\n") == 3


@given(st.lists(st.integers(0, 90_000), min_size=1), st.integers(0, 60_000))
def test_shares_are_fair_and_fit(lengths: list[int], room: int) -> None:
    shares = fair_shares(lengths, room)
    assert sum(shares) <= room
    short = [share for share, length in zip(shares, lengths, strict=True) if share < length]
    assert all(0 <= share <= length for share, length in zip(shares, lengths, strict=True))
    if short:  # nobody who lacks something has less than another one has, but for rounding
        assert min(short) >= max(shares) - 1
