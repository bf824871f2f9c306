"""Every probe on every kind of anomaly over broken series: an answer, no exception, no warning."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import spikedoc.evidence
from spikedoc.evidence.base import Case, Probe
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import FORMS, Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import Restart, Run, Series
from spikedoc.plugins import discover

PROBES: list[Probe] = [
    probe for probes in discover(spikedoc.evidence, "PROBES").values() for probe in probes
]
STEPS = 400


def _ramp(n: int) -> np.ndarray:
    return np.exp(-np.linspace(0, 3, n)) if n else np.zeros(0)


def _spiky(n: int) -> np.ndarray:
    values = _ramp(n)
    values[n // 2 : n // 2 + 2] *= 40.0
    return values


def _holes(n: int) -> np.ndarray:
    values = _ramp(n)
    values[::3] = np.nan
    values[1::7] = np.inf
    values[2::11] = -np.inf
    return values


SALTS: dict[str, Callable[[int], np.ndarray]] = {
    "empty": lambda n: np.zeros(0),
    "one": lambda n: np.array([2.3]),
    "two": lambda n: np.array([2.3, np.nan]),
    "ramp": _ramp,
    "spiky": _spiky,
    "constant": lambda n: np.full(n, 1.7),
    "zeros": np.zeros,
    "nan": lambda n: np.full(n, np.nan),
    "inf": lambda n: np.full(n, np.inf),
    "minus-inf": lambda n: np.full(n, -np.inf),
    "holes": _holes,
    "huge": lambda n: 1e308 * np.sin(np.arange(n)),
    "tiny": lambda n: 5e-324 * (1 + np.arange(n) % 3),
    "negative": lambda n: -1.0 - np.random.default_rng(1).random(n),
    "mixed": lambda n: np.random.default_rng(2).normal(size=n) * 1e200,
    "ends-nan": lambda n: np.where(np.arange(n) > n // 2, np.nan, 1.0 + np.arange(n) % 5),
}

CONFIGS: dict[str, dict[str, float | int | str | bool]] = {
    "none": {},
    "plain": {"num_classes": 10, "clip": 1.0, "optimizer": "adamw", "steps_per_epoch": 40,
              "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.1, "batch_size": 8, "lr": 1e-3,
              "shuffle": True, "label_smoothing": 0.1, "precision": "fp16", "schedule": "cosine"},
    "odd": {"num_classes": 0, "clip": 0, "optimizer": "", "steps_per_epoch": 1, "beta2": 1.0,
            "eps": math.nan, "weight_decay": -1.0, "batch_size": 0, "lr": math.inf,
            "shuffle": 0, "label_smoothing": "yes", "precision": 16, "schedule": ""},
}  # fmt: skip


def make_run(salt: Callable[[int], np.ndarray], config: dict[str, float | int | str | bool]) -> Run:
    series = []
    for metric in Metric:
        values = np.asarray(salt(STEPS), dtype=np.float64).copy()
        steps = np.arange(1, values.size + 1, dtype=np.int64)
        times = 1e9 + steps.astype(np.float64)
        series.append(Series(metric, metric.value, f"x/{metric.value}", steps, values, times))
    for metric in (Metric.GRAD_NORM, Metric.LOSS):
        for rank in range(3):
            values = np.asarray(salt(STEPS), dtype=np.float64).copy()
            steps = np.arange(1, values.size + 1, dtype=np.int64)
            name = f"{metric.value}-rank{rank}"
            series.append(Series(metric, name, name, steps, values, None, rank))
    extra = np.asarray(salt(STEPS), dtype=np.float64).copy()
    steps = np.arange(1, extra.size + 1, dtype=np.int64)
    series.append(Series(Metric.LOSS_COMPONENT, "aux", "aux", steps, extra))
    return Run("salted", "salted", tuple(series), (Restart(200, 205, "rewound"),), config)


SPANS = ((200, 201, 204), (1, 1, 1), (1, 300, 400), (399, 400, 400))


def anomalies() -> Iterator[Anomaly]:
    """One anomaly of each kind and form, its place taken in turn."""
    labels = [(kind, form) for kind in Kind for form in (None, *FORMS.get(kind, ()))]
    for number, (kind, form) in enumerate(labels):
        start, peak, end = SPANS[number % len(SPANS)]
        measures = {"recovered_after_steps": math.nan} if number % 2 else {"period": 40.0}
        yield Anomaly(kind, Severity.WARNING, 0.9, "loss", start, peak, end, form, measures)


# The config changes what is read, not how broken values are met: two salts are enough for the odd.
RUNS = [(salt, config) for salt in SALTS for config in CONFIGS if config != "odd" or salt < "e"]


@pytest.mark.parametrize(("salt", "config"), RUNS)
def test_every_probe_answers(salt: str, config: str) -> None:
    run = make_run(SALTS[salt], CONFIGS[config])
    cases = [Case(run, anomaly, (anomaly,)) for anomaly in anomalies()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for probe in PROBES:
            for case in cases:
                evidence = probe.answer(case)
                for name, value in evidence.values.items():
                    assert isinstance(value, str) or math.isfinite(value), (probe.name, name)
                    assert type(value) in (int, float, str), (probe.name, name)


def test_a_run_without_series_is_unknown_or_read_from_the_config() -> None:
    run = Run("bare", "bare", ())
    for anomaly in anomalies():
        for probe in PROBES:
            verdict = probe.answer(Case(run, anomaly, (anomaly,))).verdict
            assert verdict is Verdict.UNKNOWN or probe.name == "near_restart", probe.name


def test_names_are_unique_and_statements_hold_only_given_values() -> None:
    names = [probe.name for probe in PROBES]
    assert len(names) == len(set(names))
    run = make_run(_spiky, CONFIGS["plain"])
    for anomaly in anomalies():
        for probe in PROBES:
            evidence = probe.answer(Case(run, anomaly, (anomaly,)))
            for text in (evidence.statement.en, evidence.statement.zh):
                assert "{" not in text, (probe.name, anomaly.label, text)


def test_both_languages_ask_for_the_same_values() -> None:
    for probe in PROBES:
        for text in (probe.yes, probe.no, probe.question):
            assert _fields(text.en) == _fields(text.zh), probe.name


def _fields(template: str) -> set[str]:
    return {part.split("}")[0].split("|")[0] for part in template.split("{")[1:]}


def test_forms_of_recurring_anomalies_exist() -> None:
    assert Form.BURSTS in FORMS[Kind.OSCILLATION]


def test_no_sentence_leaves_the_number_open() -> None:
    """`1 point(s)`: one of a thing has its own word, see `Text.fill`."""
    for probe in PROBES:
        for text in (probe.question, probe.yes, probe.no):
            assert not re.search(r"\w\((?:s|es|ies)\)", text.en), probe.name


def _with_noise(values: np.ndarray) -> np.ndarray:
    return values * np.exp(0.05 * np.random.default_rng(3).normal(size=values.size))


# Without noise an answer may hang on how a library rounds.
NOISY: dict[str, Callable[[int], np.ndarray]] = {
    "noisy-ramp": lambda n: _with_noise(_ramp(n)),
    "noisy-spiky": lambda n: _with_noise(_spiky(n)),
}
KEPT = [("noisy-ramp", "plain"), ("noisy-spiky", "plain"), ("noisy-spiky", "none"),
        ("ends-nan", "plain"), ("negative", "plain"), ("mixed", "none")]  # fmt: skip


@pytest.mark.parametrize(("salt", "config"), KEPT)
def test_answers_are_those_that_were_kept(
    salt: str, config: str, golden: Callable[[str, str], None]
) -> None:
    """Of each probe a letter for each anomaly, and what it said when it first answered so."""
    run = make_run((SALTS | NOISY)[salt], CONFIGS[config])
    lines = []
    for probe in PROBES:
        found = [probe.answer(Case(run, anomaly, (anomaly,))) for anomaly in anomalies()]
        said = {one.verdict: one.statement.en for one in reversed(found)}
        letters = "".join(one.verdict.value[0] for one in found)
        kept = [said[v] for v in (Verdict.SUPPORTS, Verdict.REFUTES) if v in said]
        lines.append("\n  ".join([f"{probe.name} {letters}", *kept]))
    golden(f"answers/{salt}-{config}.txt", "\n".join(lines) + "\n")
