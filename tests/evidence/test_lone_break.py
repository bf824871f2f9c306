"""A break in a log that holds the loss and little beside it."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAN = np.nan
KIND = Kind.NONFINITE


def alone(ask, loss, form=Form.PERSISTENT, **parts):
    values = np.array(loss)
    start = 1 + int(np.argmin(np.isfinite(values)))
    parts = {"loss": values, "form": form} | parts
    return ask("breaks_without_witness", KIND, start, start, len(loss), **parts)


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ([2.4, 2.2, 2.1, NAN, NAN], YES),
        ([2.4, 2.2, NAN, NAN], YES),
        ([2.4, NAN, NAN], YES),
        ([NAN, NAN, NAN], YES),
        ([2.4, 2.2, 0.0, NAN], YES),
        ([2.4, 2.2, 2.1, 4.5, NAN], UNKNOWN),
        ([2.4, 25.0, NAN, NAN], UNKNOWN),
    ],
)
def test_a_break_without_a_climb_in_a_bare_log(ask, loss, said) -> None:
    assert alone(ask, loss).verdict is said


@pytest.mark.parametrize(
    "parts",
    [
        {"grad_norm": np.ones(4)},
        {"loss_scale": np.ones(4)},
        {"components": {"a": np.ones(4)}},
        {"config": {"precision": "bf16"}},
        {"events": [(3, "Function 'LogBackward0' returned nan values in its 0th output.")]},
        {"events": [(3, "RuntimeWarning: overflow")]},
        {"form": Form.TRANSIENT},
        {"val_loss": np.array([2.4, 2.2, NAN, NAN]), "signal": "val_loss"},
    ],
)
def test_a_log_that_tells_more_is_not_bare(ask, parts) -> None:
    assert alone(ask, [2.4, 2.2, NAN, NAN], **parts).verdict is UNKNOWN


def test_a_message_that_only_states_the_break_tells_no_more(ask) -> None:
    found = alone(ask, [2.4, 2.2, NAN, NAN], events=[(3, "loss is nan, stopping")])
    assert found.verdict is YES
    assert found.values == {"step": 3, "points": 2}


def gradient(ask, loss, grad):
    parts = {"loss": np.array(loss), "grad_norm": np.array(grad), "form": Form.FROM_START}
    return ask("first_gradient_kills", KIND, 1, 1, len(loss), **parts)


@pytest.mark.parametrize(
    ("loss", "grad", "said"),
    [
        ([2.4, 0.0, 0.0], [NAN, NAN, NAN], YES),
        ([2.4, NAN, NAN], [np.inf, NAN, NAN], YES),
        ([2.4, NAN, NAN], [3.0, NAN, NAN], NO),
        ([2.4, 2.3, 2.2], [np.inf, 1.0, 1.0], UNKNOWN),
        ([NAN, NAN, NAN], [NAN, NAN, NAN], UNKNOWN),
        ([0.0, 0.0, 0.0], [NAN, NAN, NAN], UNKNOWN),
        ([2.4], [NAN], UNKNOWN),
    ],
)
def test_the_first_gradient_of_a_sound_loss(ask, loss, grad, said) -> None:
    assert gradient(ask, loss, grad).verdict is said


def test_a_gradient_of_another_step_says_nothing(ask) -> None:
    parts = {"loss": np.array([2.4, 0.0, 0.0]), "form": Form.FROM_START}
    late = ask("first_gradient_kills", KIND, 2, grad_norm=(np.array([2]), np.array([NAN])), **parts)
    assert late.verdict is UNKNOWN


def test_validation_alone_points_at_the_evaluation(ask) -> None:
    val = {"val_loss": np.array([2.4, NAN, NAN]), "signal": "val_loss", "form": Form.PERSISTENT}
    assert ask("only_validation_shown", KIND, 2, **val).verdict is YES
    beside = ask("only_validation_shown", KIND, 2, loss=np.ones(3), **val)
    assert beside.verdict is UNKNOWN
    assert ask("only_validation_shown", KIND, 2, loss=np.array([2.4, NAN, NAN])).verdict is UNKNOWN
