"""The wording of anomalies: complete, in both languages, and never with an unfilled field."""

from __future__ import annotations

import re
from typing import Any

import pytest

from spikedoc.classifier import wording
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import FORMS, Form, Kind, Severity, Status

LABELS = [(kind, form) for kind in Kind for form in (None, *FORMS.get(kind, ()))]
BASE = {"signal", "start_step", "peak_step", "end_step"}
MEASURES = {
    Kind.ISOLATED_SPIKE: "before peak factor z threshold count log_end crowd_percent last_spike"
    " grad_before grad_peak grad_factor grad_step",
    Kind.SLOW_RECOVERY: "before peak factor recovered_after_steps residual_percent count log_end "
    "not_yet next_step grad_before grad_peak grad_factor grad_step",
    Kind.LEVEL_SHIFT: "before after factor z overshoot reached end dip_end",
    Kind.SUSTAINED_DRIFT: "before after factor",
    Kind.DIVERGENCE: "best after factor limit guess broken_step overshoot",
    Kind.PERIODIC_SPIKES: "period count eta2 eta2_percent rho phase_step phase_border height "
    "factor dip_percent rise_percent width",
    Kind.NONFINITE: "first_step last_finite_step count share passed infinite skipped "
    "infinite_passed",
    Kind.NON_CONVERGENCE: "first best last fall_percent chance classes zeros points"
    " accuracy entropy evaluations right",
    Kind.OSCILLATION: "noise learned ratio lag1 growth growth_above period count low high",
    Kind.OVERFITTING: "best_step best last rise_percent train train_fall_percent scale first equal"
    " steady swings",
    Kind.METRIC_DAMAGE: "before after log_end",
    Kind.QUALITY_LOSS: "first best after",
    Kind.UNBOUNDED_GROWTH: "before after factor",
    Kind.DIVERSITY_COLLAPSE: "before after number_before number_after",
    Kind.GRADIENT_RAMP: "before peak factor",
    Kind.GRADIENT_EXPLOSION: "before peak factor count",
    Kind.GRADIENT_VANISHING: "before after reached factor",
    Kind.UPDATE_SPIKE: "before peak factor decay",
    Kind.LR_DISCONTINUITY: "before after factor climbs_to rises_to climb_step",
    Kind.LOSS_SCALE_COLLAPSE: "before after halvings",
    Kind.RESUME_DISCONTINUITY: "before after ratio",
    Kind.RANK_OUTLIER: "rank factor lasting_factor equal_points nonfinite_points",
    Kind.FIRST_LOSS_OFF: "first chance classes lowest",
    Kind.CLIP_SATURATED: "share_percent share constant",
    Kind.COMPONENT_DOMINATES: "discriminator generator held_first held_last held_percent"
    " gone_first gone_last fooled real generated",
}


def anomaly(kind: Kind, form: Form | None = None, **changes: Any) -> Anomaly:
    """Return an anomaly of the loss at steps 500 to 540 with its peak at 510."""
    fields: dict[str, Any] = {
        "kind": kind,
        "form": form,
        "severity": Severity.WARNING,
        "confidence": 0.9,
        "signal": "loss",
        "start_step": 500,
        "peak_step": 510,
        "end_step": 540,
    }
    return Anomaly(**(fields | changes))


# Of the setting that brought a rise about; its name comes from the log.
SETTING = {"setting", *(f"setting_{k}" for k in ("before", "after", "step", "first", "last"))}
BY_SETTING = (Kind.LEVEL_SHIFT, Kind.SLOW_RECOVERY, Kind.SUSTAINED_DRIFT, Kind.QUALITY_LOSS)


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize(("kind", "form"), LABELS)
def test_every_kind_and_form_has_its_own_title_and_meaning(kind: Kind, form: Form | None) -> None:
    title, meaning = wording.meaning(anomaly(kind, form).label)
    for text in (title, meaning):
        assert text.en.isascii()
        assert re.search(r"[\u4e00-\u9fff]", text.zh)
    assert meaning.en.endswith(".")
    assert meaning.zh.endswith("。")


@pytest.mark.parametrize(("factor", "told"), [(0.0, False), (0.5, True), (2.0, True)])
def test_zero_is_no_multiple_of_a_level(factor: float, told: bool) -> None:
    measures = {"before": 1.047, "after": 1.047 * factor, "factor": factor}
    said = wording.summarise(anomaly(Kind.LEVEL_SHIFT, Form.DOWN, measures=measures))
    assert ("times" in said.en) is told
    assert ("倍" in said.zh) is told


def test_titles_are_distinct() -> None:
    for language in ("en", "zh"):
        titles = [getattr(label.title, language) for label in wording.labels().values()]
        assert len(set(titles)) == len(titles)


def test_the_file_holds_no_label_that_does_not_exist() -> None:
    known = {anomaly(kind, form).label for kind, form in LABELS}
    assert set(wording.labels()) == known


@pytest.mark.parametrize("key", sorted(wording.labels()))
def test_fields_are_measures_of_the_kind_and_equal_in_both_languages(key: str) -> None:
    kind = Kind(key.partition("/")[0])
    known = BASE | {"subject"} | set(MEASURES.get(kind, "").split())
    known |= SETTING if kind in BY_SETTING else set()
    label = wording.labels()[key]
    for text in (*label.summary, *label.extra, *label.headline):
        assert placeholders(text.en) == placeholders(text.zh)
        assert placeholders(text.en) <= known
    assert placeholders(label.summary[-1].en) <= BASE
    assert placeholders(label.headline[-1].en) <= BASE | {"subject"}


@pytest.mark.parametrize(("kind", "form"), LABELS)
@pytest.mark.parametrize("share", ["none", "all", "first half", "not finite"])
def test_a_summary_never_shows_an_unfilled_field(kind: Kind, form: Form | None, share: str) -> None:
    names = MEASURES.get(kind, "").split()
    chosen = {"none": 0, "first half": (len(names) + 1) // 2}.get(share, len(names))
    value = float("nan") if share == "not finite" else 4.25
    case = anomaly(kind, form, measures=dict.fromkeys(names[:chosen], value))
    for text in (wording.summarise(case), wording.headline(Status.WARNING, [case])):
        assert "{" not in text.en + text.zh
        assert "nan" not in (text.en + text.zh).replace("NaN", "")
        assert text.en.endswith(".")
        assert text.zh.endswith("。")
        assert "  " not in text.en


def test_a_summary_holds_the_numbers_of_the_anomaly() -> None:
    case = anomaly(
        Kind.ISOLATED_SPIKE,
        measures={"before": 0.0821, "peak": 3.7, "factor": 45.067, "z": 12.345, "threshold": 5.0},
    )
    text = wording.summarise(case)
    assert "from 0.0821 to 3.7 (45.1 times) at step 510" in text.en
    assert "第 510 步从 0.0821 跳到 3.7（45.1 倍）" in text.zh
    assert "z = 12.3" in text.en


def test_a_single_event_is_not_counted_and_a_negligible_residual_not_told() -> None:
    alone = wording.summarise(anomaly(Kind.ISOLATED_SPIKE, measures={"count": 1.0}))
    assert alone.en == "loss spikes at step 510 and is back at once."
    told = {"count": 4.0, "crowd_percent": 0.8, "last_spike": 900.0}
    several = wording.summarise(anomaly(Kind.ISOLATED_SPIKE, measures=told))
    assert several.en.endswith("(0.8 % of the points) and is back at once each time.")
    assert "spikes 4 times" in several.en
    slow = anomaly(Kind.SLOW_RECOVERY, measures={"residual_percent": 0.2})
    assert "trend" not in wording.summarise(slow).en
    slow = anomaly(Kind.SLOW_RECOVERY, measures={"residual_percent": 7.0})
    assert "7 % above the earlier trend" in wording.summarise(slow).en


def test_a_period_is_told_in_whole_steps_and_percent() -> None:
    measures = {"period": 56.25, "cycles": 12.0, "eta2": 0.336, "phase_step": 17.61}
    text = wording.summarise(anomaly(Kind.PERIODIC_SPIKES, Form.EPOCH, measures=measures))
    assert "every epoch (56.25 steps), 12 times from step 500 to 540." in text.en
    assert "explains 34 % of its variance" in text.en
    assert "It peaks 18 steps into the epoch." in text.en


def test_a_form_without_own_sentences_uses_those_of_its_kind() -> None:
    case = anomaly(Kind.LEVEL_SHIFT, Form.UP, measures={"before": 0.5, "after": 1.0})
    assert wording.summarise(case).en == ("loss steps from 0.5 to 1 at step 500 and stays there.")


@pytest.mark.parametrize(
    ("kind", "form", "words"),
    [
        (Kind.ISOLATED_SPIKE, None, "recovered"),
        (Kind.SLOW_RECOVERY, None, "came back"),
        (Kind.LEVEL_SHIFT, Form.UP, "did not come back"),
        (Kind.SUSTAINED_DRIFT, None, "drifting"),
        (Kind.DIVERGENCE, Form.FINITE, "diverged"),
        (Kind.NONFINITE, Form.PERSISTENT, "NaN"),
        (Kind.NON_CONVERGENCE, Form.FLAT, "Never learned"),
        (Kind.OSCILLATION, Form.NOISE, "noisy"),
    ],
)
def test_the_headline_names_the_ending(kind: Kind, form: Form | None, words: str) -> None:
    assert words in wording.headline(Status.WARNING, [anomaly(kind, form)]).en


def test_the_headline_takes_the_worst_and_among_equals_the_ending() -> None:
    spike = anomaly(Kind.ISOLATED_SPIKE, start_step=10)
    drift = anomaly(Kind.SUSTAINED_DRIFT, start_step=900)
    assert "drifting" in wording.headline(Status.WARNING, [spike, drift]).en
    critical = anomaly(Kind.ISOLATED_SPIKE, severity=Severity.CRITICAL)
    text = wording.headline(Status.CRITICAL, [drift, critical, spike])
    assert text.en == "The loss spiked at step 510 and recovered; 2 more findings."
    assert text.zh == "损失在第 510 步出现尖峰，随后恢复；另有 2 项发现。"


def test_the_headline_names_the_series() -> None:
    case = anomaly(Kind.NON_CONVERGENCE, Form.FLAT, signal="val_loss")
    assert wording.headline(Status.WARNING, [case]).en == (
        "Never learned: the validation loss did not fall."
    )
    case = anomaly(Kind.NON_CONVERGENCE, Form.FLAT, signal="train/loss_cls")
    assert (
        wording.headline(Status.WARNING, [case]).zh == "始终没有学到东西：train/loss_cls 没有下降。"
    )


def test_healthy_and_unknown_runs_have_their_own_headline() -> None:
    note = anomaly(Kind.ISOLATED_SPIKE, severity=Severity.INFO)
    quiet = wording.headline(Status.HEALTHY, []).en
    assert quiet.startswith("No fault found in what was logged")
    assert "one observation below" in wording.headline(Status.HEALTHY, [note]).en
    assert "2 observations below" in wording.headline(Status.HEALTHY, [note, note]).en
    assert "one observation" not in quiet
    assert "Too little" in wording.headline(Status.UNKNOWN, [note]).en


def test_a_name_from_the_log_cannot_inject_a_field() -> None:
    case = anomaly(Kind.ISOLATED_SPIKE, signal="{peak}", measures={"peak": 3.0})
    assert wording.summarise(case).en.startswith("{peak} spikes at step 510")


def test_an_unknown_label_has_no_meaning() -> None:
    with pytest.raises(KeyError):
        wording.meaning("no-such-kind")


def test_a_peak_below_the_level_before_is_told_as_no_rise() -> None:
    fallen = {"before": 1298.0, "peak": 600.8, "factor": 0.463, "recovered_after_steps": 250.0}
    said = wording.summarise(
        Anomaly(Kind.SLOW_RECOVERY, Severity.INFO, 0.9, "loss", 3300, 3300, 3550, None, fallen)
    )
    assert "1298" not in said.en + said.zh
    assert "rises" not in said.en


def test_a_sentence_says_the_tag_without_the_role() -> None:
    about = Anomaly(Kind.METRIC_DAMAGE, Severity.WARNING, 0.9, "val_metric:eval/acc", 9, 9, 20)
    for text in (wording.summarise(about), wording.headline(Status.WARNING, [about])):
        assert "eval/acc" in text.en
        assert "eval/acc" in text.zh
        assert "val_metric" not in text.en + text.zh


def fields(kind: Kind, form: Form | None = None, **measures: float) -> dict[str, Any]:
    return {
        name: value
        for name, value in wording._fields(anomaly(kind, form, measures=measures)).items()
        if name not in BASE
    }


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ({"factor": 1.05}, {"factor": 1.05}),
        ({"factor": 1.049}, {}),
        ({"factor": 0.95}, {"factor": 0.95}),
        *(({"count": 2.0}, {"count": 2.0}), ({"count": 1.0}, {})),
        *(({"residual_percent": 1.0}, {"residual_percent": 1.0}), ({"residual_percent": 0.9}, {})),
        # Three digits; what is looked up in the log keeps all of them, and steps are whole.
        *(({"z": 12.3456}, {"z": 12.3}), ({"z": 12345.0}, {"z": 12345.0})),
        *(({"before": 12.3456}, {"before": 12.3456}), ({"log_end": 99.6}, {"log_end": 100})),
        ({"recovered_after_steps": 41.7}, {"recovered_after_steps": 42}),
        ({"z": float("inf"), "rho": float("nan")}, {}),
        ({"share": 0.126}, {"share": 0.126, "share_percent": 13}),
        ({"eta2": 0.5}, {"eta2": 0.5, "eta2_percent": 50}),
        # The first of the names that count.
        ({"cycles": 7.0, "bursts": 3.0}, {"cycles": 7.0, "bursts": 3.0, "count": 7.0}),
    ],
)
def test_what_is_worth_saying(measures: dict[str, float], told: dict[str, float]) -> None:
    assert fields(Kind.PERIODIC_SPIKES, **measures) == told


@pytest.mark.parametrize(
    ("form", "peak", "after", "told"),
    [
        *((Form.UP, 4.0, 2.0, True), (Form.UP, 3.9, 2.0, False), (Form.FINITE, 4.0, -2.0, True)),
        (Form.DOWN, 4.0, 2.0, False),
    ],
)
def test_an_overshoot_of_twice_the_level_is_told(form, peak, after, told: bool) -> None:
    kind = Kind.DIVERGENCE if form is Form.FINITE else Kind.LEVEL_SHIFT
    found = fields(kind, form, peak=peak, after=after)
    assert ("overshoot" in found) is told


@pytest.mark.parametrize(
    ("kind", "peak", "rise"),
    [
        (Kind.ISOLATED_SPIKE, 2.0, False), (Kind.ISOLATED_SPIKE, 2.1, True),
        (Kind.SLOW_RECOVERY, 2.0, False), (Kind.LEVEL_SHIFT, 2.0, True),
    ],
)  # fmt: skip
def test_a_peak_no_higher_than_before_is_no_rise(kind: Kind, peak: float, rise: bool) -> None:
    found = fields(kind, before=2.0, peak=peak, factor=3.0)
    assert ({"before", "peak", "factor"} <= found.keys()) is rise


@pytest.mark.parametrize(
    ("count", "note"),
    [(0, ""), (1, "; one observation below"), (2, "; 2 observations below"), (3, "; 3 obs")],
)
def test_observations_that_need_no_action_are_counted(count: int, note: str) -> None:
    remarks = [anomaly(Kind.ISOLATED_SPIKE, severity=Severity.INFO)] * count
    words = wording.headline(Status.HEALTHY, remarks).en
    assert words.startswith("No fault found in what was logged" + (note or "."))


@pytest.mark.parametrize(
    ("count", "note"), [(1, "."), (2, "; one more finding."), (3, "; 2 more findings.")]
)
def test_other_findings_are_counted(count: int, note: str) -> None:
    faults = [anomaly(Kind.DIVERGENCE, Form.FINITE)] * count
    remark = anomaly(Kind.ISOLATED_SPIKE, severity=Severity.INFO)
    words = wording.headline(Status.CRITICAL, [*faults, remark]).en
    assert words.endswith(note)
    assert ("more" in words) is (count > 1)


def test_the_headline_is_about_the_worst_then_the_ending_then_the_first() -> None:
    late = anomaly(Kind.LEVEL_SHIFT, Form.UP, start_step=700)
    early = anomaly(Kind.ISOLATED_SPIKE, start_step=100)
    other = anomaly(Kind.RANK_OUTLIER, start_step=50)
    worst = anomaly(Kind.ISOLATED_SPIKE, severity=Severity.CRITICAL, start_step=900)
    lead = wording.headline(Status.CRITICAL, [late]).en[:-1]
    assert wording.headline(Status.CRITICAL, [other, early, late]).en.startswith(lead)
    lead = wording.headline(Status.CRITICAL, [worst]).en[:-1]
    assert wording.headline(Status.CRITICAL, [other, early, late, worst]).en.startswith(lead)
    two = [anomaly(Kind.ISOLATED_SPIKE, start_step=step) for step in (300, 200)]
    lead = wording.headline(Status.CRITICAL, two[1:]).en[:-1]
    assert wording.headline(Status.CRITICAL, two).en.startswith(lead)


@pytest.mark.parametrize(
    ("measures", "said"),
    [
        ({}, "Overfitting"),
        ({"equal": 30.0}, "Evaluation that never changes"),
        ({"scale": 8.0}, "Validation counted otherwise"),
        ({"train": 0.1}, "Validation wrong from the start"),
    ],
)
def test_what_is_no_overfitting_is_not_called_so(measures: dict[str, float], said: str) -> None:
    found = wording.title(anomaly(Kind.OVERFITTING, measures=measures))
    assert found.en == said
    assert found.zh


@pytest.mark.parametrize("form", [Form.TRANSIENT, Form.PERSISTENT, Form.FROM_START])
def test_an_infinity_is_not_called_nan(form: Form) -> None:
    measures = {"count": 2.0, "infinite": 2.0, "infinite_passed": 2.0, "last_finite_step": 499.0}
    told = Anomaly(Kind.NONFINITE, Severity.WARNING, 1.0, "loss", 500, 500, 501, form, measures)
    for text in (wording.title(told), wording.summarise(told)):
        assert "NaN" not in text.en + text.zh
        assert "nfinit" in text.en
        assert "无穷大" in text.zh
