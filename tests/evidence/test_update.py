from __future__ import annotations

import numpy as np
import pytest
from levels import alike, pieces

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.run import Restart

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE


def with_tail(steady: np.ndarray, at: int, factor: float, rate: float) -> np.ndarray:
    """Add an outlier at right angles that dies away by `rate` per step, as momentum does."""
    out = steady.copy()
    after = np.arange(out.size - (at - 1))
    out[at - 1 :] = np.sqrt(out[at - 1 :] ** 2 + (factor * rate**after) ** 2)
    return out


@pytest.mark.parametrize(
    ("factor", "jumps", "normal"), [(7.5, YES, NO), (1.1, NO, YES), (1.95, NO, NO)]
)
def test_jump(ask, falling, steady, factor, jumps, normal) -> None:
    update = np.ones(1000)
    update[599] = factor + 0.2
    parts = {"loss": falling, "update_norm": update}
    assert ask("update_jumps_with_loss", SPIKE, 600, **parts).verdict is jumps
    assert ask("update_stays_normal", SPIKE, 600, **parts).verdict is normal


@pytest.mark.parametrize("rate", [0.85, 0.9, 0.95])
def test_momentum_tail(ask, falling, steady, rate) -> None:
    parts = {"loss": falling, "update_norm": with_tail(steady, 600, 8.0, rate)}
    found = ask("update_tail_decays", SPIKE, 600, **parts)
    assert found.verdict is YES
    assert found.values["rate"] == pytest.approx(rate, abs=0.03)


def test_a_tail_per_step_whatever_the_stride(ask, falling, steady) -> None:
    update = with_tail(steady, 601, 8.0, 0.9)
    every = slice(0, 1000, 2)
    parts = {"loss": falling[every], "update_norm": update[every], "stride": 2}
    found = ask("update_tail_decays", SPIKE, 601, **parts)
    assert found.values["rate"] == pytest.approx(0.9, abs=0.03)


def test_a_jump_of_one_step_has_no_tail(ask, falling, steady) -> None:
    update = steady.copy()
    update[599] = 8.0
    parts = {"loss": falling, "update_norm": update}
    assert ask("update_tail_decays", SPIKE, 600, **parts).verdict is NO
    assert ask("update_tail_decays", SPIKE, 700, **parts).verdict is NO
    assert ask("update_tail_decays", SPIKE, 2, **parts).verdict is UNKNOWN


def test_update_leads(ask, falling, steady) -> None:
    update = steady.copy()
    update[594:600] = 9.0
    parts = {"loss": falling, "update_norm": update}
    found = ask("update_leads_loss", SPIKE, 600, **parts)
    assert (found.verdict, found.values["steps"]) == (YES, 5)
    same = steady.copy()
    same[599] = 9.0
    assert ask("update_leads_loss", SPIKE, 600, loss=falling, update_norm=same).verdict is NO


def test_a_spike_long_before_is_no_lead(ask, falling, steady) -> None:
    update = steady.copy()
    update[592] = 9.0
    found = ask("update_leads_loss", SPIKE, 600, loss=falling, update_norm=update)
    assert found.verdict is NO


def test_cold_optimizer(ask, falling, steady) -> None:
    cold = with_tail(steady, 600, 4.3, 0.85)
    parts = {"loss": falling, "update_norm": cold, "restarts": [Restart(600, 599, "new-file")]}
    kind = Kind.UPDATE_SPIKE
    name = "update_jumps_at_restart"
    assert ask(name, kind, 600, signal="update_norm", **parts).verdict is YES
    moved = np.where(np.arange(1000) < 599, 1e-3, 5e-3)
    assert ask(name, kind, 600, signal="update_norm", lr=moved, **parts).verdict is NO
    warm = {**parts, "update_norm": steady}
    assert ask(name, kind, 600, signal="update_norm", **warm).verdict is NO
    alone = {**parts, "restarts": []}
    assert ask(name, kind, 600, signal="update_norm", **alone).verdict is UNKNOWN


def test_update_followed_the_learning_rate(ask, falling, steady) -> None:
    rate = np.where(np.arange(1000) < 599, 1e-3, 8e-3)
    kind = Kind.LR_DISCONTINUITY
    name = "update_over_lr_constant"
    followed = {"loss": falling, "update_norm": steady * rate, "lr": rate}
    assert ask(name, kind, 600, form=Form.JUMP, signal="lr", **followed).verdict is YES
    alone = {"loss": falling, "update_norm": steady * rate, "lr": np.full(1000, 1e-3)}
    assert ask(name, kind, 600, form=Form.JUMP, signal="lr", **alone).verdict is NO


def bump(factor: float, at: int = 600, n: int = 1000) -> np.ndarray:
    out = np.ones(n)
    out[at - 1] = factor
    return out


@pytest.mark.parametrize(
    ("factor", "jumps", "normal"),
    [(1.99, NO, YES), (2.0, NO, NO), (2.49, NO, NO), (2.5, YES, NO)],
)
def test_how_far_the_update_jumps(ask, factor: float, jumps: Verdict, normal: Verdict) -> None:
    parts = {"loss": np.ones(1000), "update_norm": bump(factor)}
    found = alike(ask, ("update_norm",), "update_jumps_with_loss", SPIKE, 600, **parts)
    assert found.verdict is jumps
    assert found.values == {"factor": factor, "step": 600, "before": 1.0, "after": factor}
    assert ask("update_stays_normal", SPIKE, 600, **parts).verdict is normal


def tail(ask, rate: float, *, factor: float = 8.0, n: int = 1000, by: float = 0.0, stride: int = 1):
    """Ask about an outlier at right angles to an update of 1 that dies away by `rate` per step.

    Its logs alternate by `by` around the line.
    """
    after = np.arange(n - 599)
    excess = factor * rate ** (stride * after) * np.exp(by * (-1.0) ** after)
    update = np.concatenate([np.ones(599), np.sqrt(1 + excess**2)])
    parts = {"loss": np.ones(n), "update_norm": update, "stride": stride}
    at = 1 + 599 * stride
    return alike(ask, ("update_norm",), "update_tail_decays", SPIKE, at, **parts)


@pytest.mark.parametrize(
    ("rate", "verdict"), [(0.79, NO), (0.81, YES), (0.9, YES), (0.96, YES), (0.98, NO)]
)
@pytest.mark.parametrize("stride", [1, 2])
def test_a_tail_of_the_first_moment(ask, rate: float, stride: int, verdict: Verdict) -> None:
    found = tail(ask, rate, stride=stride)
    assert found.verdict is verdict
    told = {"rate": pytest.approx(rate, abs=1e-3), "factor": 8.06, "step": 1 + 599 * stride}
    assert found.values == told  # sqrt(1 + 64)


@pytest.mark.parametrize(("by", "verdict"), [(0.2, YES), (0.37, NO)])
def test_a_tail_along_a_line(ask, by: float, verdict: Verdict) -> None:
    # About twenty points along a line of .105 a step have a variance of .011 x 20^2 / 12 = .37:
    # of all of it that is .9 with .04 beside it, .73 with .137.
    assert tail(ask, 0.9, by=by).verdict is verdict


@pytest.mark.parametrize(("rate", "told"), [(0.5, 0.5), (0.45, 0.0)])
def test_four_points_of_a_tail(ask, rate: float, told: float) -> None:
    # sqrt(1 + 8^2 x .5^6) = 1.41 still stands out by .3, sqrt(1 + 8^2 x .45^6) = 1.24 does not:
    # after three points it is as if gone at once.
    assert tail(ask, rate).values["rate"] == pytest.approx(told)


@pytest.mark.parametrize(("points", "verdict"), [(3, UNKNOWN), (4, YES)])
def test_a_tail_that_the_log_cuts_off(ask, points: int, verdict: Verdict) -> None:
    assert tail(ask, 0.9, n=599 + points).verdict is verdict


def test_forty_points_of_a_tail_are_looked_at(ask) -> None:
    # Of a tail of .97 per step, later as if it were of .5.
    after = np.arange(401)
    excess = 80 * 0.96**after
    excess[40:] *= 0.5 ** np.arange(361)
    update = np.concatenate([np.ones(599), np.sqrt(1 + excess**2)])
    found = ask("update_tail_decays", SPIKE, 600, loss=np.ones(1000), update_norm=update)
    assert (found.verdict, found.values["rate"]) == (YES, 0.96)


def lead(ask, points: int, factor: float = 9.0, onset: int = 600, end: int = 0):
    """Ask about an update that is high for so many points up to the onset of the loss."""
    update = np.ones(1000)
    update[onset - 1 - points : onset - 1 - end] = factor
    parts = {"loss": np.ones(1000), "update_norm": update}
    return alike(ask, ("update_norm",), "update_leads_loss", SPIKE, onset, **parts)


@pytest.mark.parametrize(
    ("points", "factor", "steps", "verdict"),
    [
        *((0, 9.0, 0, NO), (1, 9.0, 1, YES), (3, 9.0, 3, YES), (10, 9.0, 10, YES)),
        *((3, 1.5, 0, NO), (3, 1.51, 3, YES)),
    ],
)
def test_by_how_many_steps_the_update_leads(ask, points, factor, steps, verdict) -> None:
    found = lead(ask, points, factor)
    assert found.verdict is verdict
    told = {"steps": steps, "factor": factor if verdict is YES else 1.0, "step": 600}
    assert found.values == told


def test_a_lead_lasts_until_the_onset(ask) -> None:
    assert lead(ask, 5, end=1).verdict is NO


@pytest.mark.parametrize(("onset", "verdict"), [(21, YES), (20, UNKNOWN), (1, UNKNOWN)])
def test_ten_points_before_a_lead_make_its_level(ask, onset: int, verdict: Verdict) -> None:
    # The ten up to the onset are looked at, the ten before them are the level.
    assert lead(ask, 2 if onset > 2 else 0, onset=onset).verdict is verdict


def cold(ask, update: np.ndarray, lr: np.ndarray | None = None):
    parts = {"loss": np.ones(1000), "update_norm": update}
    parts |= {"restarts": [Restart(600, 599, "new-file")]} | ({} if lr is None else {"lr": lr})
    kind = Kind.UPDATE_SPIKE
    name, scaled = "update_jumps_at_restart", ("update_norm", "lr")
    return alike(ask, scaled, name, kind, 600, signal="update_norm", **parts)


@pytest.mark.parametrize(
    ("update", "factor", "later", "verdict"),
    [
        (bump(2.5, 602), 2.5, 1.0, YES),
        (bump(2.49, 602), 2.49, 1.0, NO),
        (bump(9.0, 603), 1.0, 1.0, NO),  # the first three points
        # Steps 608 to 640 are 33: the median of 17 high ones and 16 others is high.
        (pieces((599, 1.0), (25, 4.0), (376, 1.0)), 4.0, 4.0, NO),
        (pieces((599, 1.0), (24, 4.0), (376, 1.0)), 4.0, 1.0, YES),
        (pieces((599, 1.0), (8, 4.0), (33, 1.9), (361, 9.0)), 4.0, 1.9, YES),
        (pieces((599, 1.0), (8, 4.0), (33, 2.0), (361, 9.0)), 4.0, 2.0, NO),
    ],
)
def test_a_cold_start_is_over_after_eight_to_forty_steps(
    ask, update: np.ndarray, factor: float, later: float, verdict: Verdict
) -> None:
    found = cold(ask, update[:1000])
    assert found.verdict is verdict
    assert found.values == {"factor": factor, "later": later, "step": 600}


@pytest.mark.parametrize(("rate", "verdict"), [(1.3, YES), (1.31, NO)])
def test_a_rate_that_moved_explains_the_first_updates(ask, rate: float, verdict: Verdict) -> None:
    assert cold(ask, bump(3.0), pieces((599, 1.0), (401, rate))).verdict is verdict


@pytest.mark.parametrize(
    ("rate", "verdict"), [(2.0, NO), (2.01, YES), (3.0, YES), (4.49, YES), (4.51, NO)]
)
def test_an_update_that_follows_the_rate_within_a_half(ask, rate: float, verdict) -> None:
    parts = {"update_norm": pieces((599, 1.0), (401, 3.0)), "lr": pieces((599, 1.0), (401, rate))}
    kind = Kind.LR_DISCONTINUITY
    found = ask(
        "update_over_lr_constant",
        kind,
        600,
        form=Form.JUMP,
        signal="lr",
        loss=np.ones(1000),
        **parts,
    )
    assert found.verdict is verdict
    assert found.values == {"update": 3.0, "lr": rate}


def test_a_rate_of_zero_before_says_nothing_of_what_followed_it(ask) -> None:
    name, kind = "update_over_lr_constant", Kind.LR_DISCONTINUITY
    update = pieces((599, 1.0), (401, 3.0))
    for before, after in ((0.0, 1.0), (1.0, 0.0), (-1.0, 1.0)):
        lr = pieces((599, before), (401, after))
        parts = {"loss": np.ones(1000), "update_norm": update, "lr": lr}
        assert ask(name, kind, 600, form=Form.JUMP, signal="lr", **parts).verdict is UNKNOWN


def test_an_update_that_jumps_alone_came_of_no_batch(ask) -> None:
    update = np.full(1000, 0.01)
    update[600:615] *= 1.0 + 3.4 * 0.78 ** np.arange(15)
    parts = {"loss": np.ones(1000), "update_norm": update}
    told = {"before": 0.01, "peak": 0.044, "factor": 4.4}
    for measures, jumps, near in (({**told, "unmarked": 1.0}, NO, UNKNOWN), (told, YES, NO)):
        where = (Kind.UPDATE_SPIKE, 601, 601, 611)
        about = {"signal": "update_norm", "measures": measures}
        assert ask("update_jumps_with_loss", *where, **about, **parts).verdict is jumps
        assert ask("near_restart", *where, **about, **parts).verdict is near
