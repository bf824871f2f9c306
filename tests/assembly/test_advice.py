"""Advice with this run's numbers, and its wording without them."""

from __future__ import annotations

import synth

from spikedoc.assembly.advice import Advisor, set_by_figure
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.knowledge import Action, Catalog, Cost
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

SPIKE = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 1201, 1201, 1201)
MEASURED = Text("clip at {clip}, lr {lr}", "裁剪 {clip}，学习率 {lr}")
UNMEASURED = Text("clip lower", "降低裁剪阈值")


def figure(name: str, value: FieldValue | None) -> Figure:
    return Figure(name, Text(name, name), lambda run, anomaly: value)


def advisor(**values: FieldValue | None) -> Advisor:
    figures = {name: figure(name, value) for name, value in values.items()}
    return Advisor(Catalog(()), figures, synth.spike().run)


def action(unmeasured: Text | None = UNMEASURED) -> Action:
    return Action("clip-lower", MEASURED, unmeasured, Cost.RERUN, ("clip", "lr"))


def test_numbers_are_filled_in() -> None:
    found = advisor(clip=0.51234, lr="1e-3").advice(action(), SPIKE)
    assert found.id == "clip-lower"
    assert found.text == Text("clip at 0.5123, lr 1e-3", "裁剪 0.5123，学习率 1e-3")
    assert found.values == {"clip": 0.51234, "lr": "1e-3"}
    assert found.cost is Cost.RERUN


def test_without_one_of_them_the_other_wording_stands_in() -> None:
    found = advisor(clip=0.5, lr=None).advice(action(), SPIKE)
    assert (found.text, found.values, found.cost) == (UNMEASURED, {}, Cost.RERUN)


def test_settings_are_in_the_words_of_the_framework() -> None:
    settings = {"clip": "{clip}", "lr": "{lr}", "beta2": 0.95, "loss_scale": "{cap}"}
    fix = Action("clip-lower", MEASURED, UNMEASURED, None, ("clip", "lr"), settings)
    run = synth.spike().run
    hf = Run(run.name, run.path, run.series, config={"framework": "hf"})
    known = advisor(clip=0.51, lr=1e-4)
    found = Advisor(known.catalog, known.figures, hf).advice(fix, SPIKE)
    # A setting whose number is unknown is left out.
    assert found.settings == (
        "TrainingArguments(adam_beta2=0.95, max_grad_norm=0.51, learning_rate=0.0001)",
    )
    assert advisor(clip=0.5, lr=None).advice(fix, SPIKE).settings == ()


def test_the_figures_of_settings_are_named() -> None:
    fix = Action("x", MEASURED, settings={"clip": "{clip_p99}", "beta2": 0.95})
    assert set_by_figure(fix) == {"clip": "clip_p99"}


def test_zero_is_a_number() -> None:
    assert advisor(clip=0.0, lr=0).advice(action(), SPIKE).text.en == "clip at 0, lr 0"


def test_an_action_without_figures_is_said_as_it_is() -> None:
    plain = Action("look", Text("look at {the} batch", "看这个 batch"), cost=Cost.MINUTES)
    found = advisor().advice(plain, SPIKE)
    assert found.text == plain.text
    assert found.values == {}


def test_figures_see_the_run_and_the_anomaly() -> None:
    seen: list[object] = []

    def compute(run: object, anomaly: object) -> float:
        seen.extend([run, anomaly])
        return 1.0

    run = synth.spike().run
    one = Advisor(Catalog(()), {"x": Figure("x", Text("x", "x"), compute)}, run)
    assert one.number("x", SPIKE) == 1.0
    assert seen == [run, SPIKE]


def test_an_unknown_figure_is_no_number() -> None:
    assert advisor(clip=None).number("clip", SPIKE) is None
    assert advisor().number("clip", SPIKE) is None
