"""One ordered list of checks: the symptom decides the order, the causes the content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from spikedoc.model.knowledge import Action, Catalog, Cost, Stage
from spikedoc.model.label import Kind
from spikedoc.rules.engine import Ranked

# Causes whose checks are listed; more would bury the telling ones.
CAUSES: Final = 5
# Causes far behind the first one do not send the reader off first.
LEAST_SHARE: Final = 0.2
COST_ORDER: Final = {Cost.MINUTES: 0, Cost.HOURS: 1, Cost.RERUN: 2, None: 3}

Entry = tuple[Stage | None, Action, tuple[str, ...]]


def order_checks(catalog: Catalog, kind: Kind, causes: Sequence[Ranked]) -> tuple[Entry, ...]:
    """Return (stage, check, rule codes it helps) for the likeliest causes, each check once.

    Checks named in the procedure for `kind` come at their stage; the others follow at the stage
    that holds most checks of their rule's kind of question – in the order of the causes, cheap
    ones first.
    """
    wanted: dict[str, tuple[Action, list[str]]] = {}
    least = LEAST_SHARE * max((cause.share for cause in causes), default=0.0)
    for cause in [c for c in causes if c.share >= least][:CAUSES]:
        for check in cause.rule.checks:
            wanted.setdefault(check.id, (check, []))[1].append(cause.rule.code)
    out: list[Entry] = []
    for stage in catalog.procedures.get(kind.value, ()):
        for name in stage.checks:
            if name in wanted:
                check, codes = wanted.pop(name)
                out.append((stage, check, tuple(codes)))
    rest = sorted(wanted.values(), key=lambda item: COST_ORDER[item[0].cost])
    out += [(None, check, tuple(codes)) for check, codes in rest]
    return tuple(out)
