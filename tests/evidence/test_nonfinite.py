from __future__ import annotations

import numpy as np

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
