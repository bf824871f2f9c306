"""Whether as many series and points are read as somebody else counted in the same logs.

    python benchmarks/counts.py FOLDER [FOLDER ...]

A folder has a `manifest.jsonl`, one line per log: `id` (the folder of the log beside it) and
`series`, from tag to points; a tag may begin with the name of its run and a colon. Every series
that is not there with the same number is printed with the way it is told, or with what the reader
noted on that log.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from spikedoc.errors import InputError
from spikedoc.ingest import iter_runs
from spikedoc.model.run import Run

MANIFEST: Final = "manifest.jsonl"
# Names of what tells the step of a point: an axis, no series.
AXIS: Final = re.compile(r"(^|[/_])(step|steps|epoch|iter|iteration|num_updates|update)s?$", re.I)
SHOWN_NOTES: Final = 4
# How a series of the manifest is there; the last two want an explanation.
EQUAL: Final = "equal"
RENAMED: Final = "as many points, under another name"
IS_AXIS: Final = "the step or the epoch of the points"
DIFFERS: Final = "another number of points"
ABSENT: Final = "no series with this name, or with as many points"


def compared(series: Mapping[str, int], runs: Sequence[Run]) -> Iterator[tuple[str, str, int]]:
    """Yield tag, how it is there, and the points read, for each series of the manifest."""
    mine, counted = Counter[str](), Counter[str]()
    for run in runs:
        for one in run.series:
            mine[one.tag] += len(one)
            mine[f"{run.name}:{one.tag}"] += len(one)
    # Where runs go by other names than in the manifest, their sum is compared.
    for tag, points in series.items():
        counted[_bare(tag)] += points
    for tag, points in series.items():
        read = [mine[name] for name in (tag, _bare(tag)) if name in mine]
        is_sum = mine.get(_bare(tag)) == counted[_bare(tag)]
        how = EQUAL if points in read or is_sum else _otherwise(tag, points, read, mine)
        yield tag, how, points if how == EQUAL else max(read, default=0)


def _bare(tag: str) -> str:
    return tag.partition(":")[2] or tag


def _otherwise(tag: str, points: int, read: Sequence[int], mine: Mapping[str, int]) -> str:
    if AXIS.search(tag):
        return IS_AXIS
    if read:
        return DIFFERS
    return RENAMED if points in mine.values() else ABSENT


def noted(runs: Sequence[Run]) -> list[str]:
    """Return the English notes on the runs, each once."""
    texts = [*(n for run in runs for n in run.notes)]
    texts += [n for run in runs for source in run.sources for n in source.notes]
    return list(dict.fromkeys(text.en for text in texts))


def main() -> None:
    """Compare every log of the folders and print the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    totals: Counter[str] = Counter()
    for folder in parser.parse_args().folders:
        for line in (folder / MANIFEST).read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if not isinstance(entry["series"], dict):
                continue
            try:
                runs = list(iter_runs(str(folder / entry["id"])))
            except InputError as error:
                totals["refused"] += 1
                print(f"{entry['id']}: refused, {error.text.en}")
                continue
            totals += show(entry, runs)
    for how, count in totals.most_common():
        print(f"{count:6} {how}")


def show(entry: Mapping[str, object], runs: Sequence[Run]) -> Counter[str]:
    """Print what differs in one log, and return how often each way occurs."""
    series = entry["series"]
    assert isinstance(series, dict)
    points = {tag: count for tag, count in series.items() if isinstance(count, int)}
    found = list(compared(points, runs))
    odd = [(tag, how, read) for tag, how, read in found if how in (DIFFERS, ABSENT)]
    if odd:
        print(f"{entry['id']}:")
        for tag, how, read in odd:
            print(f"  {tag}: {points[tag]} counted, {read} read ({how})")
        for note in noted(runs)[:SHOWN_NOTES]:
            print(f"  note: {note}")
    return Counter(how for _, how, _ in found)


if __name__ == "__main__":
    main()
