from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
KIND = Kind.NONFINITE


def broken(values: np.ndarray, first: int, last: int = 10**6) -> np.ndarray:
    out = values.copy()
    out[first - 1 : last] = np.nan
    return out


def test_from_the_first_value(ask, falling) -> None:
    first = ask("first_loss_nonfinite", KIND, 1, 1, 1000, loss=broken(falling, 1))
    assert first.verdict is YES
    later = ask("first_loss_nonfinite", KIND, 600, 600, 1000, loss=broken(falling, 600))
    assert later.verdict is NO
    assert ask("first_loss_nonfinite", Kind.OSCILLATION, 1, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(("breaks", "verdict"), [(10, YES), (9, NO)])
def test_a_log_that_ends_within_one_of_many_breaks(ask, falling, breaks: int, verdict) -> None:
    loss = falling.copy()
    loss[np.linspace(99, loss.size - 1, breaks).round().astype(int)] = np.nan
    found = ask("nonfinite_is_transient", KIND, 100, 100, 1000, loss=loss, form=Form.TRANSIENT)
    assert (found.verdict, found.values["count"]) == (verdict, breaks)


def test_transient(ask, falling) -> None:
    gone = broken(falling, 600, 602)
    brief = ask("nonfinite_is_transient", KIND, 600, 600, 602, loss=gone, form=Form.TRANSIENT)
    assert (brief.verdict, brief.values["count"]) == (YES, 3)
    stays = ask("nonfinite_is_transient", KIND, 600, 600, 1000, loss=broken(falling, 600))
    assert stays.verdict is NO
    assert ask("nonfinite_is_transient", KIND, 600, loss=falling).verdict is UNKNOWN


def order(ask, loss: np.ndarray, grad: np.ndarray, start: int) -> tuple[Verdict, Verdict]:
    parts = {"loss": loss, "grad_norm": grad, "form": Form.PERSISTENT}
    return (
        ask("grad_nonfinite_first", KIND, start, start, 1000, **parts).verdict,
        ask("loss_nonfinite_first", KIND, start, start, 1000, **parts).verdict,
    )


def test_order(ask, falling, steady) -> None:
    assert order(ask, broken(falling, 605), broken(steady, 600), 605) == (YES, NO)
    assert order(ask, broken(falling, 600), broken(steady, 605), 600) == (NO, YES)
    assert order(ask, broken(falling, 600), broken(steady, 600), 600) == (NO, YES)
    # Hidden in the loss: the gradient alone is non-finite.
    assert order(ask, falling, broken(steady, 600), 600) == (YES, NO)
    assert order(ask, falling, steady, 600) == (UNKNOWN, UNKNOWN)


def test_growing_gradients_mean_that_the_loss_was_not_first(ask, falling, steady) -> None:
    grad = steady.copy()
    grad[590:599] = 2.0 ** np.arange(9)
    assert order(ask, broken(falling, 600), broken(grad, 600), 600) == (NO, NO)


def test_overflows_of_a_healthy_scaler_are_not_the_beginning(ask, falling, steady) -> None:
    grad = broken(steady, 600)
    grad[[100, 300, 590]] = np.inf
    assert order(ask, broken(falling, 600), grad, 600) == (NO, YES)


def test_a_gradient_that_breaks_at_the_peak_of_the_loss(ask, falling, steady) -> None:
    loss = falling.copy()
    loss[599] = 1.5e5
    name, kind = "grad_broken_at_peak", Kind.ISOLATED_SPIKE
    found = ask(name, kind, 600, loss=loss, grad_norm=broken(steady, 600, 600))
    assert (found.verdict, found.values["step"], found.values["value"]) == (YES, 600, "NaN")
    assert ask(name, kind, 600, loss=loss, grad_norm=steady).verdict is NO
    assert ask(name, kind, 600, loss=loss).verdict is UNKNOWN
    assert ask(name, KIND, 600, loss=loss, grad_norm=steady).verdict is UNKNOWN


def test_one_infinite_evaluation_breaks_no_weights(ask, falling) -> None:
    values = np.full(20, 0.5)
    values[3] = np.inf
    parts = {"loss": falling, "val_loss": (np.arange(50, 1050, 50), values)}
    said = ask("val_also_nonfinite", Kind.NONFINITE, 200, 200, 200, **parts)
    assert said.verdict is Verdict.REFUTES
    assert "the last one is finite" in said.statement.en
    values[3:] = np.inf
    parts["val_loss"] = (np.arange(50, 1050, 50), values)
    said = ask("val_also_nonfinite", Kind.NONFINITE, 200, 200, 200, **parts)
    assert said.verdict is Verdict.SUPPORTS
    assert "17 values from step 200 on, none of them finite" in said.statement.en


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        *(([100, 101], YES), ([101, 102], UNKNOWN), ([100], UNKNOWN)),
        *(([200, 400], YES), ([201, 401], UNKNOWN)),  # one record every 200 steps
    ],
)
def test_an_excerpt_does_not_hold_the_first_loss(ask, steps: list[int], verdict: Verdict) -> None:
    loss = (np.array(steps), np.full(len(steps), np.nan))
    found = ask("first_loss_nonfinite", KIND, steps[0], loss=loss)
    assert found.verdict is verdict
    if verdict is YES:
        assert found.values == {"step": steps[0], "value": "NaN"}


@pytest.mark.parametrize(
    ("values", "bad", "points", "verdict"),
    [
        ([1.0, np.nan, 1.0], 1, 2, NO),  # as many finite as not
        ([1.0, np.nan, 1.0, 1.0], 1, 3, YES),
        ([1.0, np.inf, 1.0, 1.0, np.nan], 2, 4, NO),
        ([np.nan, np.nan, 1.0, 1.0, 1.0], 2, 5, YES),
    ],
)
def test_more_finite_points_than_others_and_a_finite_end(ask, values, bad, points, verdict) -> None:
    found = ask("nonfinite_is_transient", KIND, 1, loss=values)
    assert found.verdict is verdict
    step = 1 + int(np.argmin(np.isfinite(values)))
    assert found.values == {"count": bad, "points": points, "step": step}


def test_what_order_the_two_broke_in_is_told(ask, falling, steady) -> None:
    parts = {"loss": broken(falling, 605), "grad_norm": broken(steady, 600)}
    found = ask("grad_nonfinite_first", KIND, 605, 605, 1000, **parts)
    assert found.values == {"grad": 600, "loss": 605}
    parts = {"loss": broken(falling, 600), "grad_norm": steady}
    found = ask("grad_nonfinite_first", KIND, 600, 600, 1000, **parts)
    assert (found.verdict, found.values) == (NO, {"loss": 600})
    found = ask("loss_nonfinite_first", KIND, 600, 600, 1000, **parts)
    assert (found.verdict, found.values) == (YES, {"loss": 600})


def test_from_the_first_record_on_nothing_lies_before(ask, falling, steady) -> None:
    parts = {"loss": broken(falling, 1), "grad_norm": broken(steady, 1)}
    found = ask("loss_nonfinite_first", KIND, 1, 1, 1000, **parts)
    assert found.verdict is YES
    assert "from the first record on (step 1)" in found.statement.en
    parts = {"loss": broken(falling, 3), "grad_norm": broken(steady, 3)}
    assert ask("loss_nonfinite_first", KIND, 3, 3, 1000, **parts).verdict is UNKNOWN
