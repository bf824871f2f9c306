"""The page without a browser: sound markup, nothing from outside, nothing from a log that acts."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from importlib import resources
from itertools import pairwise

import numpy as np
import pytest
import report_factory
import synth
from html_outline import Element, data, parse

from spikedoc.assembly.charts import charts
from spikedoc.assembly.plot import thin_curve
from spikedoc.model.metric import Metric
from spikedoc.model.report import Framework, GuardReplay, Plot, Report
from spikedoc.model.run import Checkpoint, Run
from spikedoc.pipeline import analyze_frame
from spikedoc.renderers import html
from spikedoc.renderers._html_data import as_data
from spikedoc.renderers._html_text import Wording
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.html import RENDER_ALL, RENDERER
from spikedoc.text import Language, Text

# uPlot 1.6.32 as published; a changed file is another program.
VENDORED = {
    "uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
    "uPlot.LICENSE": "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd",
}
OWN_LINES = 300
MEGABYTE = 1_000_000
FOLDER = resources.files("spikedoc.renderers").joinpath("html_page")

NASTY = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "{{ 7 * 7 }} {% raw %}",
    "[bold red]x[/bold red]",
    "javascript:alert(1)",
    "`</code>`",
    "&lt;b&gt; \u2028 \u202e \x1b[31m \x00",
]


def page(report: Report, language: Language = Language.EN) -> Element:
    return parse(RENDERER(report, RenderOptions(language)))


def nasty(text: str) -> Report:
    """The hostile report with every name from a log replaced."""
    base = report_factory.hostile()
    both = Text(text, text)
    finding = replace(base.findings[0], id=text, summary=both, title=both)
    return replace(
        base,
        spikedoc_version=text,
        headline=both,
        findings=(finding,),
        run=replace(base.run, name=text, config={text: text}, checkpoints=(Checkpoint(1, text),)),
        notes=(both,),
        limits=(both,),
        plot=replace(base.plot, signal=text) if base.plot else None,
    )


# ------------------------------------------------------------------------------------ the package


@pytest.mark.parametrize("name", VENDORED)
def test_what_is_vendored_is_what_was_published(name: str) -> None:
    content = FOLDER.joinpath("vendor").joinpath(name).read_bytes()
    assert hashlib.sha256(content).hexdigest() == VENDORED[name]


def test_nothing_else_is_vendored_and_own_files_are_short() -> None:
    assert {file.name for file in FOLDER.joinpath("vendor").iterdir()} == set(VENDORED)
    own = [file for file in FOLDER.iterdir() if file.is_file()]
    assert len(own) > 8
    for file in own:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert len(lines) <= OWN_LINES, file.name
        assert max(map(len, lines)) <= 220, f"{file.name}: is it minified?"


def test_scripts_are_written_so_that_no_text_becomes_markup() -> None:
    for name in html.SCRIPTS:
        source = FOLDER.joinpath(name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", source
        )
        assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|import\(|https?:", source)


# ---------------------------------------------------------------------------------------- markup


@pytest.mark.parametrize("case", [*report_factory.ALL, "hostile"])
def test_the_page_is_sound(case: str) -> None:
    tree = page(getattr(report_factory, case)())
    ids = [e.attributes["id"] for e in tree.walk() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    for element in tree.walk():
        for key in ("aria-labelledby", "aria-describedby"):
            for id_ in (element.attributes.get(key) or "").split():
                assert id_ in ids, f"{key}={id_} names nothing"
        link = element.attributes.get("href")
        assert link is None or link == "data:," or link[1:] in ids


def test_there_are_landmarks_and_one_main_heading() -> None:
    tree = page(report_factory.failing())
    assert [len(tree.all(tag)) for tag in ("header", "main", "footer", "h1")] == [1, 1, 1, 1]
    levels = [int(e.tag[1]) for e in tree.walk() if re.fullmatch("h[1-6]", e.tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_policy_names_every_script_and_style_by_its_hash() -> None:
    tree = page(report_factory.failing())
    policy = next(
        e.attributes["content"] or ""
        for e in tree.all("meta")
        if e.attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy
    acting = [e for e in tree.all("script") if e.attributes.get("type") != "application/json"]
    assert len(acting) == 2
    for element in (*acting, *tree.all("style")):
        digest = hashlib.sha256(element.text().encode()).digest()
        assert f"'sha256-{base64.b64encode(digest).decode()}'" in policy


def test_nothing_is_loaded_and_no_attribute_acts() -> None:
    tree = page(report_factory.failing())
    for element in tree.walk():
        assert "src" not in element.attributes
        assert "style" not in element.attributes, "the policy would refuse it"
        assert not [key for key in element.attributes if key.startswith("on")]


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("language", list(Language))
def test_what_a_log_holds_stays_text(text: str, language: Language) -> None:
    plain = page(report_factory.hostile(), language)
    tree = page(nasty(text), language)
    skeleton = [e.tag for e in plain.walk() if e.tag not in ("code", "span", "button")]
    assert [e.tag for e in tree.walk() if e.tag not in ("code", "span", "button")] == skeleton
    for element in tree.walk():
        assert not [key for key in element.attributes if key.startswith("on")]
    held = data(tree)
    assert held["markdown"][language.value]


def test_control_and_direction_signs_are_taken_out() -> None:
    text = RENDERER(nasty(NASTY[-1]), RenderOptions())
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e]", text)


def test_data_cannot_end_its_element() -> None:
    value = {"<!--": "</script>", "a&b": ["]]>", "损失"]}
    text = as_data(value)
    assert not set("<>&") & set(text)
    assert json.loads(text) == value


def test_no_folder_tells_whose_machine_it_was() -> None:
    for report in (report_factory.failing(), report_factory.hostile()):
        text = RENDERER(report, RenderOptions())
        assert "alice" not in text
        assert "/home/" not in text


# ------------------------------------------------------------------------------------- languages


def test_both_languages_stand_in_the_page_and_one_is_shown() -> None:
    report = report_factory.failing()
    for language, tag in ((Language.EN, "en"), (Language.ZH, "zh-Hans")):
        tree = page(report, language)
        root = tree.all("html")[0]
        assert root.attributes["lang"] == tag
        assert root.attributes["data-language"] == language.value
        title = tree.all("h1")[0]
        assert title.line("en") == report.headline.en
        assert title.line("zh") == report.headline.zh


def test_code_can_be_copied_where_it_is_more_than_a_name() -> None:
    wording = Wording("")
    text = Text("call `f(x)` on `name`", "对 `name` 调用 `f(x)`")
    advice = parse(str(wording.advice(text)))
    assert [e.line() for e in advice.all("code")] == ["f(x)", "name", "name", "f(x)"]
    assert len(advice.all("button", "copy")) == 2
    assert not parse(str(wording.text(text))).all("button")


def test_an_odd_backtick_opens_nothing() -> None:
    assert not parse(str(Wording("").text(Text("a ` b", "a ` b")))).all("code")


def test_guards_settings_and_code_to_log_are_shown_and_can_be_copied() -> None:
    base = report_factory.failing()
    guard = GuardReplay(
        "skip", Text("Skip NaN", "跳过 NaN"), "F1", ("loss",), 9, 0, 3, 4,
        Text("It would have fired at step 9.", "它会在第 9 步触发。"),
    )  # fmt: skip
    fix = replace(base.causes[0].fixes[0], settings=("fp16: false", "bf16: <true>"))
    cause = replace(base.causes[0], fixes=(fix,))
    tree = page(
        replace(
            base,
            causes=(cause,),
            guards=(guard,),
            gaps=(replace(base.gaps[0], log="log_update_norm()"),),
            framework=Framework("hf", "transformers", recognised=True),
            snippet=("import math", "  \x1b[31mlog(z)"),
        )
    )
    blocks = tree.all("div", "block")
    assert [e.all("code")[0].text() for e in blocks] == [
        "fp16: false\nbf16: <true>",
        "import math\n  log(z)",
    ]
    assert all(len(e.all("button", "copy")) == 1 for e in blocks)
    assert all("transformers" in e.line() for e in blocks)
    assert "log_update_norm()" in tree.all("dd")[0].line()
    assert "It would have fired at step 9." in tree.all("section", "guards")[0].line("en")
    assert not page(replace(base, guards=())).all("section", "guards")


TEXT_ROLES = ("ink", "muted", "link", "critical", "warning", "info", "healthy", "unknown")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_text_stands_out_from_what_it_stands_on(theme: str) -> None:
    """Contrast of at least 4.5, as WCAG 2.2 asks of body text at level AA."""
    style = FOLDER.joinpath("page.css").read_text(encoding="utf-8")
    start = ":root {" if theme == "light" else ':root[data-theme="dark"] {'
    block = style.split(start, 1)[1].split("}", 1)[0]
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})\b", block))
    for text in TEXT_ROLES:
        for back in ("card", "back", "code"):
            assert contrast(colours[text], colours[back]) >= 4.5, (text, back)
    for badge in ("critical", "warning", "healthy", "unknown"):
        assert contrast(colours["on-colour"], colours[badge]) >= 4.5, badge


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_both_ways_to_dark_have_the_same_colours() -> None:
    style = FOLDER.joinpath("page.css").read_text(encoding="utf-8")
    chosen = style.split(':root[data-theme="dark"] {', 1)[1].split("}", 1)[0]
    system = style.split(':root[data-theme="auto"] {', 1)[1].split("}", 1)[0]
    assert chosen.split() == system.split()


# ------------------------------------------------------------------------------------------ data


def test_a_saved_report_shows_its_curve_and_says_that_it_is_all() -> None:
    tree = page(report_factory.failing())
    (curve,) = data(tree)["curves"]
    assert curve["signal"] == "loss"
    assert curve["points"] == 1281
    assert curve["nonfinite"][0][0] == report_factory.NAN_STEP
    assert "saved report" in tree.line("en")
    assert [lane["kind"] for lane in data(tree)["lanes"]] == ["restart", "checkpoint"]


def test_a_report_with_charts_does_not_say_so() -> None:
    report = drawn(synth.loss_run(np.linspace(2, 1, 500)))
    assert "saved report" not in page(report).line("en")


def test_steps_and_values_come_back_as_they_were() -> None:
    rng = np.random.default_rng(0)
    run = synth.run(synth.series(rng.lognormal(size=300), stride=7))
    (curve,) = data(page(drawn(run)))["curves"]
    assert np.cumsum(curve["steps"]).tolist() == run.series[0].steps.tolist()
    assert np.allclose(curve["values"], run.series[0].values, rtol=1e-4)


def test_a_saved_curve_of_impossible_steps_is_still_drawn() -> None:
    base = report_factory.healthy()
    plot = Plot("loss", (3.0, float("inf"), 1.0, float("nan")), (1.0, 2.0, 3.0, 4.0), log=False)
    (curve,) = data(page(replace(base, plot=plot)))["curves"]
    assert np.cumsum(curve["steps"]).tolist() == [1, 3]
    assert curve["values"] == [3, 1]


def test_a_report_without_a_curve_says_so() -> None:
    tree = page(report_factory.unknown())
    assert "There is no curve to draw." in tree.line("en")
    assert data(tree)["curves"] == []


def test_the_table_says_what_the_curve_shows() -> None:
    tree = page(report_factory.failing())
    table = next(e for e in tree.all("details", "as-table") if "as a table" in e.line("en"))
    rows = [
        [cell.line() for cell in row.walk() if cell.tag in ("th", "td")] for row in table.all("tr")
    ]
    assert 15 <= len(rows) <= 21
    plot = report_factory.failing_plot()
    assert sum(int(row[3] or 0) for row in rows[1:]) == sum(map(math.isnan, plot.values))
    assert float(rows[1][2]) == pytest.approx(max(plot.values[:16]), rel=1e-3)
    assert rows[-1][4] == "F1 F2"


# ----------------------------------------------------------------------------------- several runs


def many(count: int) -> list[Report]:
    base = report_factory.failing()
    return [replace(base, run=replace(base.run, name=f"run {i}")) for i in range(count)]


def test_several_runs_make_one_page_with_an_index() -> None:
    tree = parse(RENDER_ALL(many(3), RenderOptions()))
    assert len(tree.all("section", "run")) == 3
    index = tree.all("nav", "index")[0]
    assert [a.attributes["href"] for a in index.all("a")] == ["#run-1", "#run-2", "#run-3"]
    ids = [e.attributes["id"] for e in tree.walk() if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    assert not page(many(1)[0]).all("nav", "index")


def test_a_page_of_very_many_runs_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "RUNS_MOST", 2)
    tree = parse(RENDER_ALL(many(5), RenderOptions()))
    assert len(tree.all("section", "run")) == 2
    index = tree.all("nav", "index")[0]
    assert len(index.all("tbody")[0].all("tr")) == 5
    assert "The last 3 runs stand in this index only" in index.line("en")


def test_further_runs_lose_their_other_curves_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(html, "POINTS_MOST", 700)
    run = synth.run(synth.series(np.ones(300)), synth.series(np.ones(300), Metric.LR))
    tree = parse(RENDER_ALL([drawn(run), drawn(run), drawn(run)], RenderOptions()))
    assert [len(data(tree, f"data-{i}")["curves"]) for i in (1, 2, 3)] == [2, 1, 1]
    assert "So many runs stand on this page" in tree.by_id("run-2").line("en")
    assert "So many runs" not in tree.by_id("run-1").line("en")


# ------------------------------------------------------------------------------------------ size


def drawn(run: Run) -> Report:
    """The failing report as if it were on `run`, with the charts of that."""
    base = report_factory.failing()
    return replace(base, plot=thin_curve(run, []), charts=charts(run, base.findings))


def test_the_page_of_a_million_steps_is_below_a_megabyte() -> None:
    """With everything that makes a page grow: many series, NaN everywhere, spikes, evaluations."""
    n = 1_000_000
    rng = np.random.default_rng(0)
    metrics = (Metric.LOSS, Metric.GRAD_NORM, Metric.LR, Metric.LOSS_SCALE, Metric.UPDATE_NORM)
    layers = [f"layer_grad_norm:{i}" for i in range(20)]
    parts = []
    for metric, name in [
        *((m, "") for m in metrics),
        *((Metric.LAYER_GRAD_NORM, x) for x in layers),
    ]:
        values = rng.lognormal(size=n)
        values[rng.random(n) < 0.1] = np.nan
        parts.append(synth.series(values, metric, name=name))
    parts.append(synth.series(rng.lognormal(size=n // 50), Metric.VAL_LOSS, stride=50))
    run = replace(
        synth.run(*parts), events=tuple((i, "a message " * 20) for i in range(0, n, 1_000))
    )
    base = drawn(run)
    finding = base.findings[0]
    findings = tuple(
        replace(
            finding,
            id=f"F{i + 1}",
            anomaly=replace(finding.anomaly, start_step=at, peak_step=at + 3, end_step=at + 9),
        )
        for i, at in enumerate(range(1_000, n, n // 40))
    )
    report = replace(base, findings=findings, charts=charts(run, findings))
    text = RENDERER(report, RenderOptions())
    assert len(text.encode()) <= MEGABYTE
    (curve, *_) = data(parse(text))["curves"]
    steps = set(np.cumsum(curve["steps"]).tolist())
    finite = {
        f.anomaly.peak_step
        for f in findings
        if np.isfinite(parts[0].values[f.anomaly.peak_step - 1])
    }
    assert finite <= steps
    lost = int(np.count_nonzero(np.isnan(parts[0].values)))
    assert sum(count for _, _, count, _ in curve["nonfinite"]) == lost


def test_the_table_of_a_run_without_a_loss_is_called_after_its_curve() -> None:
    steps = np.arange(300)
    reward = {"step": steps, "ep_rew_mean": 100 - 100 * 0.98**steps}
    page = RENDERER(analyze_frame(reward, with_charts=True), RenderOptions())
    table = next(e for e in parse(page).all("details", "as-table") if "as a table" in e.line("en"))
    assert table.line("en").startswith("reward as a table")
