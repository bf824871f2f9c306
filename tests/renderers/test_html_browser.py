"""The page in a real browser: quiet, linked, synchronous, bilingual, harmless, usable by keys."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import report_factory
import synth
from chromium import Visit, browser

from spikedoc.assembly.charts import charts
from spikedoc.assembly.plot import thin_curve
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.charts import FoldedCurve
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import Finding, Report
from spikedoc.model.run import Checkpoint, Restart, Run
from spikedoc.renderers import markdown
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.html import RENDER_ALL
from spikedoc.text import Language, Text

Open = Callable[..., Visit]
SPIKE, NAN, LAST = 600, 900, 1_000


@pytest.fixture(scope="module")
def running() -> Iterator[Any]:
    with browser() as one:
        yield one


@pytest.fixture
def visit(running: Any, tmp_path: Path) -> Iterator[Open]:
    opened: list[Visit] = []

    def start(*reports: Report, language: Language = Language.EN, **options: Any) -> Visit:
        text = RENDER_ALL(reports or [failing()], RenderOptions(language))
        opened.append(Visit(running, text, tmp_path, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def finding(id_: str, severity: Severity, signal: str, first: int, last: int) -> Finding:
    anomaly = Anomaly(Kind.ISOLATED_SPIKE, severity, 1.0, signal, first, first, last)
    return Finding(id_, anomaly, Text(f"{id_} seen.", f"看到 {id_}。"), Text("Spike", "尖峰"))


def training() -> Run:
    rng = np.random.default_rng(0)
    loss = 3 * np.exp(-np.arange(LAST) / 200) + 0.1 + 0.01 * rng.random(LAST)
    loss[SPIKE - 1] = 9.0
    loss[NAN - 1 :] = np.nan
    others = (Metric.GRAD_NORM, Metric.LR, Metric.LOSS_SCALE, Metric.UPDATE_NORM)
    run = synth.run(
        synth.series(loss),
        *(synth.series(rng.random(LAST) + 0.5, metric) for metric in others),
        synth.series(rng.random(20) + 1, Metric.VAL_LOSS, stride=50),
        *(
            synth.series(rng.random(LAST), Metric.LAYER_GRAD_NORM, name=f"layer_grad_norm:{i}")
            for i in range(5)
        ),
        restarts=(Restart(501, 500, "new-file"),),
    )
    return replace(run, events=((300, "WARNING: loader was slow"),))


def on(run: Run, *findings: Finding) -> Report:
    """The failing report as if these findings had been made on `run`."""
    base = report_factory.failing()
    facts = replace(
        base.run,
        segments=((1, 500), (501, LAST)),
        checkpoints=(Checkpoint(400, "step_400.pt"), Checkpoint(800, "step_800.pt")),
    )
    return replace(
        base, run=facts, findings=findings, plot=thin_curve(run, []), charts=charts(run, findings)
    )


def failing() -> Report:
    return on(
        training(),
        finding("F1", Severity.CRITICAL, "loss", NAN, LAST),
        finding("F2", Severity.WARNING, "grad_norm", SPIKE - 20, SPIKE),
        finding("F3", Severity.INFO, "loss", SPIKE, SPIKE),
    )


def steps(one: Visit) -> list[tuple[float, float]]:
    """Return first and last step shown by each plot."""
    told = one.page.eval_on_selector_all(
        "section.run:not([hidden]) [data-steps]", "all => all.map(e => e.dataset.steps)"
    )
    return [(float(text.split()[0]), float(text.split()[1])) for text in told]


def main_box(one: Visit) -> dict[str, float]:
    box: dict[str, float] = one.page.locator(".curve.main .u-over").first.bounding_box()
    return box


def at_step(one: Visit, step: float) -> tuple[float, float]:
    """Return the place on the screen of a step in the main plot."""
    box, (first, last) = main_box(one), steps(one)[0]
    return box["x"] + box["width"] * (step - first) / (last - first), box["y"] + box["height"] / 2


# ----------------------------------------------------------------------------------------- quiet


def test_it_asks_for_nothing_and_complains_about_nothing(visit: Open) -> None:
    one = visit()
    for button in ("[data-choose-language=zh]", "[data-choose-theme=dark]", "[data-whole]"):
        if one.page.is_enabled(button):
            one.page.click(button)
    one.page.evaluate(
        "() => { for (const d of document.querySelectorAll('details')) d.open = true; }"
    )
    one.settle()
    assert one.complaints == []
    assert [url for url in one.requests if not url.startswith("data:")] == [one.address]


def test_the_network_is_shut_by_policy(visit: Open) -> None:
    one = visit()
    refused = one.page.evaluate(
        "() => fetch('http://localhost:9/').then(() => 'sent', (error) => error.message)"
    )
    assert refused == "Failed to fetch"
    assert any("Content Security Policy" in text for text in one.complaints)
    assert [url for url in one.requests if url.startswith("http")] == []


def test_a_script_put_into_the_page_does_not_run(visit: Open) -> None:
    one = visit()
    one.page.evaluate(
        "() => { const s = document.createElement('script');"
        " try { s.text = 'window.ran = 1'; document.body.append(s); } catch {} "
        " try { document.body.innerHTML += '<img src=x onerror=\"window.ran = 1\">'; } catch {} }"
    )
    one.settle()
    assert one.page.evaluate("() => window.ran") is None


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize(
    "text",
    [
        "</script><script>window.ran=1</script>",
        "<img src=x onerror=window.ran=1>",
        '"><svg onload=window.ran=1>',
        "[bold red]x[/bold red] {{ 7*7 }} `<b>`",
        "'-window.ran=1-'",
    ],
)
def test_what_a_log_holds_is_shown_as_text(visit: Open, text: str, language: Language) -> None:
    run = replace(training(), events=((5, text),))
    run = replace(
        run, series=tuple(replace(s, tag=text, name=f"{s.name}{text}") for s in run.series)
    )
    base = on(run, replace(finding(text, Severity.INFO, text, 5, 9), title=Text(text, text)))
    report = replace(base, headline=Text(text, text), run=replace(base.run, name=text))
    one = visit(report, language=language)
    one.page.click("[data-finding] [data-show]")
    one.page.click(".flag")
    one.settle()
    assert one.page.evaluate("() => window.ran") is None
    assert one.complaints == []
    assert one.page.locator("h1").inner_text() == text.replace("`", "")
    assert text in one.page.title()
    assert text in one.page.locator(".curve.main .signal").inner_text()


# --------------------------------------------------------------------------- curves and findings


def test_every_curve_is_drawn(visit: Open) -> None:
    one = visit()
    names = one.page.locator(".curve .signal").all_inner_texts()
    assert names[:6] == ["loss", "grad_norm", "lr", "loss_scale", "val_loss", "update_norm"]
    blank = one.page.evaluate(
        "() => [...document.querySelectorAll('.curve canvas')].filter((c) => !c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data.some((x) => x)).length"
    )
    assert blank == 0
    assert one.page.locator("[data-more] .curve").count() == 0
    one.page.click("[data-more] > summary")
    one.settle()
    assert one.page.locator(".curve .signal").count() == 12  # 11 series and the events
    assert len(set(steps(one))) == 1


def test_a_click_on_a_flag_leads_to_the_card(visit: Open) -> None:
    one = visit()
    one.page.click(".flag[data-flag=F1]")
    assert one.focused() == "r1-F1"
    assert one.page.locator(".finding.chosen").all_inner_texts()[0].startswith("F1")
    assert one.page.locator("[aria-current=true]").count() == 1


def test_a_click_into_a_shaded_part_leads_to_the_card(visit: Open) -> None:
    one = visit()
    one.page.mouse.click(*at_step(one, 950))
    assert one.focused() == "r1-F1"
    one.page.mouse.click(*at_step(one, SPIKE))
    assert one.focused() == "r1-F3", "the narrowest one"
    one.page.mouse.click(*at_step(one, 200))
    assert one.focused() != "r1-F1"


def test_a_card_shows_its_place_in_every_curve(visit: Open) -> None:
    one = visit()
    assert set(steps(one)) == {(1, LAST)}
    one.page.click("#r1-F2 [data-show]")
    one.settle()
    shown = set(steps(one))
    assert len(shown) == 1
    first, last = shown.pop()
    assert SPIKE - 60 < first < SPIKE - 20 < SPIKE < last < SPIKE + 60
    assert one.page.locator(".flag.chosen").inner_text() == "F2"
    one.page.click("[data-whole]")
    one.settle()
    assert set(steps(one)) == {(1, LAST)}
    assert one.page.is_disabled("[data-whole]")


def test_zooming_one_curve_zooms_all(visit: Open) -> None:
    one = visit()
    (x0, y), (x1, _) = at_step(one, 200), at_step(one, 400)
    one.page.mouse.move(x0, y)
    one.page.mouse.down()
    one.page.mouse.move((x0 + x1) / 2, y + 4)
    one.page.mouse.move(x1, y + 9)
    one.page.mouse.up()
    one.settle()
    shown = set(steps(one))
    assert len(shown) == 1
    assert shown.pop() == pytest.approx((200, 400), abs=3)
    one.page.mouse.dblclick(*at_step(one, 300))
    one.settle()
    assert set(steps(one)) == {(1, LAST)}


def test_the_cursor_is_at_the_same_step_in_every_curve(visit: Open) -> None:
    one = visit()
    one.page.mouse.move(*at_step(one, 300))
    one.settle()
    told = one.page.locator(".curve .readout").all_inner_texts()
    seen = [re.search(r"step ([\d,]+)", text) for text in told]
    found = [int(match[1].replace(",", "")) for match in seen if match]
    assert len(found) == len(told) == 8
    assert all(abs(step - 300) <= 3 for step in found), found
    one.page.mouse.move(5, 5)
    one.settle()
    assert "1,000 points" in one.page.locator(".curve .readout").first.inner_text()


def test_the_axis_of_the_loss_can_be_changed_without_losing_the_place(visit: Open) -> None:
    one = visit()
    one.page.click("#r1-F2 [data-show]")
    one.settle()
    before = steps(one)
    box = one.page.locator("[data-log-switch] input")
    assert box.is_checked()
    box.click()
    one.settle()
    assert steps(one) == before
    assert one.page.locator(".curve.main .flag").count() == 3


def test_events_stand_below_the_curves(visit: Open) -> None:
    one = visit()
    lanes = one.page.locator(".events .u-over")
    lanes.scroll_into_view_if_needed()
    box = lanes.bounding_box()
    one.page.mouse.move(box["x"] + box["width"] * 299 / 999, box["y"] + 5)
    one.settle()
    assert "loader was slow" in one.page.locator(".events .readout").inner_text()


def test_a_folded_curve_tells_its_peak(visit: Open) -> None:
    base = failing()
    assert base.charts is not None
    fold = FoldedCurve(
        "F1", "loss", 40.0, 9, (0, 10, 20, 30), (1, 1, 1, 1), (1, 2, 9, 1), (2, 3, 12, 2),
        is_ratio=True, log=False,
    )  # fmt: skip
    one = visit(replace(base, charts=replace(base.charts, folds=(fold,))))
    assert one.page.locator(".folds .readout").inner_text() == "step 20 of the cycle · 9 (1 – 12)"
    one.page.click("[data-choose-language=zh]")
    assert one.page.locator(".folds .readout").inner_text() == "周期内第 20 步 · 9 (1 – 12)"


STRANGE = {
    "one point": [1.0],
    "two equal ones": [2.0, 2.0],
    "nothing finite": [math.nan] * 9,
    "one among nan": [math.nan, 3.0, math.nan],
    "zeros": [0.0] * 50,
    "zeros and ones": [0.0, 1.0] * 50,
    "negative": [-5.0, 3.0, -1.0] * 9,
    "tiny": [1e-300, 5e-324, 1e-310],
    "huge": [1e308, -1e308, 1e300],
    "explosion": [1.0] * 50 + [10.0**i for i in range(300)],
    "hardly moving": [1.0, 1.0 + 1e-12, 1.0 + 2e-12],
    "denormal steps": [1e-30 * i for i in range(50)],
}


@pytest.mark.parametrize("case", STRANGE)
def test_no_curve_is_too_strange_to_draw(visit: Open, case: str) -> None:
    values = np.array(STRANGE[case])
    run = synth.run(synth.series(values), synth.series(values[::-1].copy(), Metric.LR))
    one = visit(on(run, finding("F1", Severity.WARNING, "loss", 1, 3)))
    one.page.click("#r1-F1 [data-show]")
    if one.page.is_visible("[data-log-switch] input"):
        one.page.click("[data-log-switch] input")
    one.settle()
    assert one.complaints == []
    assert one.page.locator(".curve.main canvas").count() == 1


# ------------------------------------------------------------------------------ words and copying


def test_the_language_is_switched_in_the_page(visit: Open) -> None:
    one = visit()
    report = report_factory.failing()
    assert one.page.locator("h1").inner_text() == report.headline.en
    one.page.click("[data-choose-language=zh]")
    assert one.page.locator("h1").inner_text() == report.headline.zh
    assert one.page.evaluate("() => document.documentElement.lang") == "zh-Hans"
    assert one.page.title().startswith("spikedoc 诊断")
    assert "个点" in one.page.locator(".curve .readout").first.inner_text()
    visible = one.page.locator("main").inner_text()
    assert "What happened" not in visible
    assert "发生了什么" in visible
    one.page.click("[data-choose-language=en]")
    assert one.page.locator("h1").inner_text() == report.headline.en


@pytest.mark.parametrize("has_clipboard", [True, False])
@pytest.mark.parametrize("language", list(Language))
def test_the_report_is_copied_as_markdown(
    visit: Open, language: Language, has_clipboard: bool
) -> None:
    report = failing()
    one = visit(report, language=language, permissions=["clipboard-read", "clipboard-write"])
    if not has_clipboard:
        one.page.evaluate(
            "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
        )
    one.page.click("[data-copy-markdown]")
    one.page.wait_for_selector("[data-copy-markdown][data-told]")
    copied = one.page.evaluate("() => navigator.clipboard.readText()")
    assert copied.replace("\r\n", "\n") == markdown.RENDERER(report, RenderOptions(language))
    assert one.page.locator("#announcer").inner_text() in ("Copied", "已复制")


def test_a_command_is_copied(visit: Open) -> None:
    base = failing()
    text = Text("Print `f(x) if y else z` of `name`.", "打印 `name` 的 `f(x) if y else z`。")
    item = replace(base.checklist[0], check=replace(base.checklist[0].check, text=text))
    report = replace(base, checklist=(item,))
    one = visit(report, permissions=["clipboard-read", "clipboard-write"])
    code = one.page.locator(".command code:visible").first
    one.page.locator(".command .copy:visible").first.click()
    one.page.wait_for_selector(".copy[data-told]")
    assert one.page.evaluate("() => navigator.clipboard.readText()") == code.inner_text()
    assert one.page.locator(".checks .command:visible").count() == 1


# --------------------------------------------------------------------------------------- keyboard


def test_everything_is_reached_by_tab_and_seen_there(visit: Open) -> None:
    one = visit()
    reached = []
    for _ in range(60):
        one.page.keyboard.press("Tab")
        if not one.focused():
            break  # once around
        reached.append(one.focused())
        ring = one.page.evaluate(
            "() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle; }"
        )
        assert ring != "none", f"no ring at {reached[-1]}"
    told = " ".join(reached)
    assert reached[0] == "skip"
    assert "plot" in reached, told
    assert {"F1", "F2", "F3"} <= set(reached), "flags"
    assert "Show in the curves" in told
    assert told.index("plot") < told.index("Show in the curves")


def test_the_skip_link_leads_past_the_tools(visit: Open) -> None:
    one = visit()
    one.page.keyboard.press("Tab")
    one.page.keyboard.press("Enter")
    assert one.focused() == "report"


def test_a_curve_is_read_by_keys(visit: Open) -> None:
    one = visit()
    one.page.locator(".curve.main .plot").focus()
    said = one.page.locator("#announcer")
    one.page.keyboard.press("ArrowRight")
    one.page.keyboard.press("ArrowRight")
    one.settle()
    assert re.match(r"loss: step 2 · \d", said.inner_text())
    one.page.keyboard.press("+")
    one.settle()
    assert "are shown" in said.inner_text()
    first, last = steps(one)[0]
    assert last - first < LAST / 2 + 1
    one.page.keyboard.press("Escape")
    one.settle()
    assert set(steps(one)) == {(1, LAST)}
    one.page.keyboard.press("n")
    one.settle()
    assert said.inner_text() == "Finding F1: Spike"
    assert one.page.locator(".finding.chosen").count() == 1
    one.page.keyboard.press("p")
    one.settle()
    assert said.inner_text() == "Finding F3: Spike"
    assert steps(one)[0] != (1, LAST)


# ------------------------------------------------------------------- several runs, print, looks


def test_the_index_shows_one_run_at_a_time(visit: Open) -> None:
    base = failing()
    runs = [replace(base, run=replace(base.run, name=f"run {i}")) for i in (1, 2, 3)]
    one = visit(*runs)
    assert one.page.locator("section.run:visible").count() == 1
    assert one.page.locator("#run-2 canvas").count() == 0
    one.page.click("a[href='#run-2']")
    one.page.wait_for_selector("#run-2 canvas")
    one.settle()
    assert one.page.locator("section.run:visible").get_attribute("id") == "run-2"
    assert "run 2" in one.page.title()
    one.page.click("#r2-F1 [data-show]")
    assert one.page.locator("#run-2 .finding.chosen").count() == 1
    one.page.go_back()
    one.page.wait_for_selector("#run-1", state="visible")
    assert one.page.locator("section.run:visible").get_attribute("id") == "run-1"
    assert one.complaints == []


def test_paper_gets_everything_and_the_screen_its_own_back(visit: Open) -> None:
    one = visit(color_scheme="dark")
    assert one.page.locator("details.cause[open]").count() == 1
    one.page.evaluate(
        "() => { addEventListener('beforeprint', () => { window.seen = ["
        "document.querySelectorAll('details.cause:not([open])').length,"
        "document.documentElement.dataset.theme]; }); }"
    )
    paper = one.page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert one.page.evaluate("() => window.seen") == [0, "light"]
    assert one.page.locator("details.cause[open]").count() == 1
    assert one.page.evaluate("() => document.documentElement.dataset.theme") == "auto"
    assert one.complaints == []


def test_dark_follows_the_system_until_it_is_chosen(visit: Open) -> None:
    one = visit(color_scheme="dark")
    back = "() => getComputedStyle(document.documentElement).backgroundColor"
    dark = one.page.evaluate(back)
    one.page.click("[data-choose-theme=light]")
    light = one.page.evaluate(back)
    assert sum(map(int, re.findall(r"\d+", dark))) < 100 < sum(map(int, re.findall(r"\d+", light)))
    one.page.click("[data-choose-theme=dark]")
    assert one.page.evaluate(back) == dark


@pytest.mark.parametrize("width", [320, 400, 800])
@pytest.mark.parametrize("language", list(Language))
def test_a_narrow_window_needs_no_sideways_scrolling(
    visit: Open, width: int, language: Language
) -> None:
    one = visit(language=language, viewport={"width": width, "height": 800})
    assert one.page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_without_scripts_the_report_can_still_be_read(visit: Open) -> None:
    one = visit(java_script_enabled=False)
    assert one.page.locator("h1").inner_text() == report_factory.failing().headline.en
    assert "does not run" in one.page.locator(".without-script").inner_text()
    assert one.page.locator("button:visible").count() == one.page.locator(".copy:visible").count()
    one.page.click("details.as-table > summary")
    assert one.page.locator("details.as-table table").first.is_visible()


def test_a_report_without_a_curve_is_quiet(visit: Open) -> None:
    one = visit(report_factory.unknown())
    assert one.complaints == []
    one.page.click("[data-choose-language=zh]")
    assert one.complaints == []
