"""Each of the two runs beside healthy ones: does it stay in their bands, and what leaves first?"""

from __future__ import annotations

from spikedoc.comparison.result import Side
from spikedoc.comparison.sentences import sentence
from spikedoc.model.run import Run
from spikedoc.reference.band import Reference
from spikedoc.reference.departure import compare
from spikedoc.text import FieldValue, Text


def beside(run: Run, side: Side, reference: Reference) -> Text:
    """Return a sentence on the run of one side beside the reference."""
    found = compare(run, reference)
    values: dict[str, FieldValue] = {"side": side.value.upper(), "n": len(reference.runs)}
    if not found.compared:
        return sentence("beside_nothing").fill(values)
    first = found.first
    if first is None:
        return sentence("beside_inside").fill(values | {"count": len(found.compared)})
    values |= {"signal": first.signal, "step": first.first_step}
    values |= {"level": first.level, "low": first.low, "high": first.high}
    key = "beside_above" if first.above else "beside_below"
    return sentence(key if first.is_finite else "beside_not_finite").fill(values)
