from __future__ import annotations

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def test_early_in_run(ask, falling) -> None:
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, 60, loss=falling).verdict is YES
    assert ask("early_in_run", Kind.ISOLATED_SPIKE, 600, loss=falling).verdict is NO
    assert ask("early_in_run", Kind.OSCILLATION, 60, loss=falling).verdict is UNKNOWN


def test_within_early_noise_is_about_absolute_size(ask, falling) -> None:
    # The first tenth scatters by about .2 absolute; the level at step 900 is .3.
    small, large = falling.copy(), falling.copy()
    small[899] = 0.45
    large[899] = 3.0
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 900, loss=small).verdict is YES
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 900, loss=large).verdict is NO
    assert ask("within_early_noise", Kind.ISOLATED_SPIKE, 50, loss=small).verdict is UNKNOWN
