"""A scan: places found, those that are not in the store diagnosed, each result kept at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from spikedoc.errors import InputError
from spikedoc.fleet.engines.base import Engine
from spikedoc.fleet.kept import finished
from spikedoc.fleet.places import Sought, tasks_at
from spikedoc.fleet.record import Record, State
from spikedoc.fleet.schedule import carried_out
from spikedoc.fleet.store import Store
from spikedoc.fleet.task import Method, Outcome, Task, diagnose_place, page_name, wants_page
from spikedoc.text import Text

# A batch is so large that handing it over costs a hundredth of the work, and no larger: what a
# worker has done of a batch is lost with it. A run of a megabyte takes about 50 ms.
BATCH_BYTES: Final = 4_000_000
BATCH_PLACES: Final = 8
DIED: Final = Text(
    "the worker died over it, also when it was alone: out of memory, or killed",
    "工作进程在此崩溃，单独运行时也是如此：内存不足，或被终止",
)
PAGES_FOLDER: Final = "reports"
NO_LOG: Final = Text("no training log in this folder", "这个目录中没有训练日志")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be scanned, and how."""

    roots: tuple[str, ...]
    method: Method = field(default_factory=Method)
    since: float | None = None  # seconds since 1970: older places are passed over
    html: Path | None = None  # folder for pages
    passed_over: tuple[Path, ...] = ()  # files of the scan itself


@dataclass
class Harvest:
    """What came of a scan."""

    records: list[Record] = field(default_factory=list)
    fresh: list[Record] = field(default_factory=list)  # of them, those made in this scan
    failures: list[InputError] = field(default_factory=list)  # roots that cannot be used
    notes: list[Text] = field(default_factory=list)
    places: int = 0
    done: int = 0  # places, those that were known included
    older: int = 0  # places that were passed over


Watch = Callable[[Harvest], None]


def scan(wish: Wish, store: Store, engine: Engine, harvest: Harvest, watch: Watch) -> None:
    """Diagnose what is new and fill `harvest`, which `watch` is shown again and again.

    What is there so far stays there when the scan is interrupted.
    """
    _Scan(wish, store, engine, harvest, watch).run()


class _Scan:
    def __init__(
        self, wish: Wish, store: Store, engine: Engine, harvest: Harvest, watch: Watch
    ) -> None:
        self._wish, self._store, self._engine = wish, store, engine
        self._harvest, self._watch = harvest, watch
        self._known = self._still_good(finished(store.load()))

    def _still_good(self, known: dict[str, tuple[Record, ...]]) -> dict[str, tuple[Record, ...]]:
        """Without what failed, which is tried again, and what lacks the page it should have."""
        return {key: records for key, records in known.items() if not self._is_wanting(records)}

    def _is_wanting(self, records: Sequence[Record]) -> bool:
        html, pages = self._wish.html, self._wish.method.pages
        for record in records:
            if record.status is State.FAILED:
                return True
            if html is not None and record.run and wants_page(record, pages):
                name = page_name(record.key, record.part)
                if not (html / PAGES_FOLDER / name).is_file():
                    return True
        return False

    def run(self) -> None:
        """Go through the roots, then do the work."""
        together = {records[0].folders for records in self._known.values()} - {()}
        method, passed_over = self._wish.method, self._wish.passed_over
        sought = Sought(method, self._known.keys(), together, passed_over)
        tasks: list[Callable[[], Task]] = []
        for root in self._wish.roots:
            tasks.extend(self._at(root, sought))
            self._harvest.places = len(tasks)
            self._watch(self._harvest)
        work = partial(diagnose_place, method=self._wish.method)
        for results in carried_out(self._engine, work, self._batches(tasks)):
            for task, outcome in results:
                self._keep(task, outcome)
            self._watch(self._harvest)

    def _at(self, root: str, sought: Sought) -> Iterator[Callable[[], Task]]:
        try:
            found = tasks_at(root, sought, self._engine)
        except InputError as error:
            self._harvest.failures.append(error)
            return
        self._harvest.notes.extend(found.notes)
        for record in found.unreadable:
            self._take([record], is_fresh=record.key not in self._known)
        if not found.tasks and not found.unreadable:
            self._harvest.failures.append(InputError(root, NO_LOG))
        yield from found.tasks

    def _batches(self, tasks: Sequence[Callable[[], Task]]) -> Iterator[tuple[Task, ...]]:
        """What must be done, while others do it: the keys are found in between."""
        batch: list[Task] = []
        for number, make in enumerate(tasks):
            task = make()
            if self._is_older(task):
                self._harvest.older += 1
                self._harvest.places -= 1
                continue
            if task.key in self._known:
                self._reuse(task)
                continue
            batch.append(task)
            if self._is_full(batch, left=len(tasks) - number):
                yield tuple(batch)
                batch = []
        if batch:
            yield tuple(batch)

    def _is_older(self, task: Task) -> bool:
        return self._wish.since is not None and task.modified < self._wish.since

    def _is_full(self, batch: Sequence[Task], left: int) -> bool:
        """Towards the end the batches get small, so that all workers end at the same time."""
        most = min(BATCH_PLACES, 1 + left // (4 * self._engine.slots))
        return len(batch) >= most or sum(task.size for task in batch) >= BATCH_BYTES

    def _reuse(self, task: Task) -> None:
        records = [
            replace(record, root=task.root, path=task.path) for record in self._known[task.key]
        ]
        self._take(records, is_fresh=False)
        self._harvest.done += 1

    def _keep(self, task: Task, outcome: Any | None) -> None:
        made = outcome if isinstance(outcome, Outcome) else Outcome((task.failed(DIED),))
        if self._wish.html is not None:
            for name, page in made.pages.items():
                write_page(self._wish.html / PAGES_FOLDER / name, page)
        self._take(made.records, is_fresh=True)
        self._harvest.done += 1

    def _take(self, records: Iterable[Record], *, is_fresh: bool) -> None:
        records = list(records)
        if is_fresh:
            self._store.add(records)
            self._harvest.fresh.extend(records)
        self._harvest.records.extend(records)


def write_page(path: Path, text: str) -> None:
    """Write a page so that it is there as a whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(text, encoding="utf-8", errors="replace")
    unfinished.replace(path)
