"""What one or a few points show: label, severity, and when it gives way to what is known."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.classifier.classify import classify
from spikedoc.classifier.context import build
from spikedoc.classifier.states import label_states
from spikedoc.classifier.wording import headline, summarise
from spikedoc.ingest import load_frame
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.pipeline import detect

CRITICAL, WARNING = Severity.CRITICAL, Severity.WARNING


def found(**columns: list[float]) -> tuple[Anomaly, ...]:
    run = load_frame({name.replace("__", "/"): values for name, values in columns.items()})
    return classify(run, detect(run))


@pytest.mark.parametrize(
    ("columns", "kind", "form", "severity"),
    [
        ({"loss": [5e26, 4.9e26]}, Kind.DIVERGENCE, Form.FINITE, CRITICAL),
        ({"loss": [-9e4], "accuracy": [0.0]}, Kind.FIRST_LOSS_OFF, Form.BELOW, WARNING),
        ({"loss": [2.0, 11.0], "lr": [1e-9, 1e-9]}, Kind.LEVEL_SHIFT, Form.UP, CRITICAL),
        ({"loss": [5.6, 5.3, 2e5, 5.7, 5.6, 5.1]}, Kind.ISOLATED_SPIKE, None, WARNING),
        ({"loss": [2.0, 1.6, 1.4, 5.0, 5.1, 5.2]}, Kind.DIVERGENCE, Form.FINITE, CRITICAL),
        ({"loss_scale": [1e-4]}, Kind.LOSS_SCALE_COLLAPSE, Form.FLOOR, CRITICAL),
        ({"loss_D": [0.0], "loss_G": [34.0]}, Kind.COMPONENT_DOMINATES, None, WARNING),
        ({"loss": [0.4] * 3, "val_loss": [300.0, 400.0, 500.0]}, Kind.OVERFITTING, None, WARNING),
    ],
)
def test_one_finding_each(columns, kind: Kind, form: Form | None, severity: Severity) -> None:
    (only,) = found(**columns)
    assert (only.kind, only.form, only.severity) == (kind, form, severity)


def test_a_term_that_holds_the_loss_up() -> None:
    kinds = found(loss=[82.0] * 90, cls_loss=np.linspace(2.3, 1.2, 90), reg_loss=[80.0] * 90)
    (only,) = (a for a in kinds if a.kind is Kind.COMPONENT_DOMINATES)
    assert (only.severity, only.signal) == (WARNING, "loss_component:reg_loss")
    assert "reg_loss" in summarise(only).en


def test_epochs_that_stand_still() -> None:
    values = [1.9112] + [1.9105] * 7
    (only,) = found(loss=values, val_loss=[1.9] * 8)
    assert (only.kind, only.form, only.severity) == (Kind.NON_CONVERGENCE, Form.FLAT, WARNING)


def test_zero_loss_without_any_gradient_needs_one_record() -> None:
    (only,) = found(loss=[0.0], grad_norm=[0.0])
    assert (only.form, only.severity) == (Form.CONSTANT_ZERO, CRITICAL)
    assert found(loss=[0.0], grad_norm=[0.1]) == ()


def test_a_policy_with_equal_rewards() -> None:
    labels = {a.label for a in found(loss=[0.01], grad_norm=[0.0], reward=[1.0], reward_std=[0.0])}
    assert labels == {"non-convergence/constant-zero"}


def test_a_loss_that_is_lost_already_is_not_lost_twice() -> None:
    run = load_frame({"loss": [5e26, 4.9e26]})
    context = build(run, detect(run))
    (lost,) = label_states(context, [])
    assert label_states(context, [lost]) == []


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"loss": [5e26, 4.9e26]}, "beyond 1e+20"),
        ({"loss": [-9e4], "accuracy": [0.0]}, "cannot be negative"),
        ({"loss_scale": [1e-4]}, "too small to be of use"),
        ({"loss_D": [0.0], "loss_G": [34.0]}, "always right"),
        ({"loss": [0.4] * 3, "val_loss": [300.0, 400.0, 500.0]}, "never worked"),
    ],
)
def test_the_sentence_says_what_was_seen(columns, said: str) -> None:
    (only,) = found(**columns)
    assert said in summarise(only).en
    assert "{" not in headline(Status.WARNING, [only]).en + headline(Status.WARNING, [only]).zh


def test_pieces_of_a_healthy_run_say_nothing() -> None:
    values = synth.curve(n=600)
    for length in (2, 3, 5, 8, 13, 21, 34, 55):
        for start in range(0, 600 - length, 40):
            piece = values[start : start + length]
            assert [a for a in found(loss=piece.tolist()) if a.severity is not Severity.INFO] == []


def test_a_first_batch_of_any_size_is_no_finding() -> None:
    for value in np.geomspace(1e-6, 1e15, 40):
        assert found(loss=[float(value)]) == ()
