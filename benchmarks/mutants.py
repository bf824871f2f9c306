"""Which small mistakes in the diagnosis no test would notice.

    python benchmarks/mutants.py [--rooms signal detectors …] [--sample 500] [--seed 0]
        [--jobs 2] [--only MODULE …] [--out FILE] [--again FILE] [--write]

A sample of one-place changes (an operator, a number, a condition) is made to the modules, of each
room in proportion to its changes, and the tests that run the changed place are run with it: those
of the module first, then the others of the diagnosis, until one fails. A change that all of them
pass has survived. What no test could notice is told apart by `equivalent.jsonl`, with the reason,
and not counted. --only makes all changes of the modules named, with nothing but their own tests:
what to do while those are written. FILE gets a line for each change; --again tries the survivors
of such a file once more; --write keeps the shares in the docs.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import platform
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from pathlib import Path
from typing import Any, Final

from _changed_runs import ROOT, Collected, in_fork, passes, prepare, run_tests, silence
from _covering import Covering, in_function, measure
from _measure import fill, table
from _mutations import Mutation, mutation, places

ROOMS: Final = ("signal", "detectors", "classifier", "evidence", "rules")
PAGE: Final = ROOT / "docs" / "explanation" / "mutants.md"
EQUIVALENT: Final = ROOT / "benchmarks" / "equivalent.jsonl"
TESTS: Final = tuple(
    f"tests/{name}"
    for name in (*ROOMS, "sample_logs", "renderers/test_cases.py", "test_measures.py")
)
# Processor seconds of tests, slowed down by the measuring of lines, that one change is worth; what
# only later ones would notice counts as survived, so the share is a lower bound.
MOST_SECONDS: Final = 8.0
NORMAL_QUANTILE: Final = 1.96  # of a 95 % interval
# Every so many changes the tests are run without one: they have to pass.
CONTROL_EVERY: Final = 20
FAILED: Final = -1
# Whether tests pass with a changed module: the module, what it reads, the tests, their seconds.
Passing = Callable[[Path, ast.Module | None, Sequence[str], float], bool]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change in one module of the package."""

    module: Path
    change: Mutation

    @property
    def room(self) -> str:
        """The package it is in."""
        return self.module.parts[1]

    def key(self) -> tuple[str, str, str, str, str]:
        """What tells it from others, whatever stands above it in the module."""
        change = self.change
        return (str(self.module), change.scope, change.text, change.before, change.after)

    def line(self) -> dict[str, Any]:
        """What is kept of it in a file."""
        module, scope, text, before, after = self.key()
        around = {"module": module, "line": self.change.line, "scope": scope, "text": text}
        return around | {"before": before, "after": after}


def every(rooms: Sequence[str]) -> dict[str, list[tuple[Path, int, int]]]:
    """Return all places of all modules, by room."""
    return {
        room: [
            (path.relative_to(ROOT), *at)
            for path in sorted((ROOT / "spikedoc" / room).rglob("*.py"))
            for at in places(path.read_text("utf-8"))
        ]
        for room in rooms
    }


def chosen(rooms: Sequence[str], sample: int, seed: int) -> list[Mutant]:
    """Return a random sample of all changes, of each room in proportion to what it has."""
    found = every(rooms)
    total = sum(map(len, found.values()))
    picked: list[Mutant] = []
    for room, at in found.items():
        count = min(len(at), round(sample * len(at) / total))
        picked += [made(*one) for one in random.Random(f"{seed} {room}").sample(at, count)]
    print(f"{len(picked)} of {total} changes", flush=True)
    random.Random(seed).shuffle(picked)
    return picked


def made(module: Path, place: int, which: int) -> Mutant:
    """Return one change."""
    return Mutant(module, mutation((ROOT / module).read_text("utf-8"), place, which))


def again(file: Path) -> list[Mutant]:
    """Return the survivors in a file that are still there."""
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    wanted = {_key(line) for line in lines if line["result"] == "survived"}
    found = []
    for module in sorted({key[0] for key in wanted}):
        source = (ROOT / module).read_text("utf-8")
        every_one = (made(Path(module), *at) for at in places(source))
        found += [mutant for mutant in every_one if mutant.key() in wanted]
    return found


def of_modules(modules: Sequence[Path]) -> list[Mutant]:
    """Return all changes of some modules."""
    return [made(path, *at) for path in modules for at in places((ROOT / path).read_text("utf-8"))]


def own_tests(modules: Sequence[Path]) -> list[str]:
    """Return the test files that stand beside the modules."""
    rooms = ((path.relative_to("spikedoc").parent, path.name.lstrip("_")) for path in modules)
    return sorted({f"tests/{room.as_posix()}/test_{name}" for room, name in rooms})


def _key(line: dict[str, Any]) -> tuple[str, ...]:
    return tuple(line[name] for name in ("module", "scope", "text", "before", "after"))


def equivalent() -> set[tuple[str, ...]]:
    """Return the changes that change nothing that could be seen."""
    lines = EQUIVALENT.read_text("utf-8").splitlines()
    return {_key(json.loads(line)) for line in lines}


def noticed(mutant: Mutant, covering: Covering, passing: Passing, *, control: bool) -> str:
    """Return the kind of tests that notice the change: "own" or "other", else "survived".

    Raises RuntimeError when those tests fail without it (`control`).
    """
    tests = list(_worth_it(covering.tests(mutant.module, mutant.change), covering))
    name = f"/{mutant.room}/test_{mutant.module.name.lstrip('_')}::"
    own = [test for test in tests if name in test]
    for kind, some in (("own", own), ("other", tests[len(own) :])):
        seconds = sum(covering.seconds[test] for test in some)
        if control and some and not passing(mutant.module, None, some, seconds):
            raise RuntimeError(f"tests fail without a change: {mutant.line()}")
        if some and not passing(mutant.module, mutant.change.tree, some, seconds):
            return kind
    return "survived"


def _worth_it(tests: Sequence[str], covering: Covering) -> Iterator[str]:
    left = MOST_SECONDS
    for test in tests:
        left -= covering.seconds[test]
        if left < 0:
            return
        yield test


def interval(killed: int, made: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    share, z = killed / made, NORMAL_QUANTILE
    middle = share + z * z / (2 * made)
    half = z * math.sqrt(share * (1 - share) / made + z * z / (4 * made * made))
    return (middle - half) / (1 + z * z / made), (middle + half) / (1 + z * z / made)


def results(
    mutants: Sequence[Mutant], jobs: int, paths: Sequence[str] = TESTS
) -> Iterator[tuple[Mutant, str]]:
    """Try each change, several at a time; "equivalent" for what is listed as such."""
    listed = equivalent()
    yield from ((mutant, "equivalent") for mutant in mutants if mutant.key() in listed)
    tried = [mutant for mutant in mutants if mutant.key() not in listed]
    covering = measure(paths)
    print(f"{len(covering.seconds)} tests, {len(tried)} changes", flush=True)
    answers: SimpleQueue[tuple[int, str]] = get_context("fork").SimpleQueue()
    forks = [
        get_context("fork").Process(
            target=_try, args=(list(enumerate(tried))[job::jobs], covering, answers, paths)
        )
        for job in range(jobs)
    ]
    for fork in forks:
        fork.start()
    for _ in tried:
        number, result = answers.get()
        if number == FAILED:
            raise RuntimeError(result)
        yield tried[number], result
    for fork in forks:
        fork.join()


def _try(
    tasks: Sequence[tuple[int, Mutant]],
    covering: Covering,
    answers: SimpleQueue[tuple[int, str]],
    paths: Sequence[str],
) -> None:
    silence()
    quick = [task for task in tasks if in_function(task[1].module, task[1].change)]
    other = [task for task in tasks if task not in quick]

    def answer(some: Sequence[tuple[int, Mutant]], passing: Passing) -> None:
        for number, mutant in some:
            try:
                control = number % CONTROL_EVERY == 0
                result = noticed(mutant, covering, passing, control=control)
                # What was worked out before the fork was worked out without the change.
                early = covering.at_import(mutant.module, mutant.change)
                if result == "survived" and early and passing is not passes:
                    result = noticed(mutant, covering, passes, control=False)
                answers.put((number, result))
            except RuntimeError as error:
                answers.put((FAILED, str(error)))

    # In two forks, since pytest can be asked once only.
    in_fork(lambda: run_tests(paths, [Collected(lambda one: answer(quick, one.passes))]))
    answer(other, passes)


def main() -> None:
    """Make the changes, run the tests, print the share that was noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--only", nargs="+", type=Path, metavar="MODULE", help="their own tests, all their changes"
    )
    parser.add_argument("--out", type=Path, help="a JSON line for each change")
    parser.add_argument("--again", type=Path, help="an earlier --out, of which survivors are tried")
    parser.add_argument("--write", action="store_true", help="keep the shares in the docs")
    wanted = parser.parse_args()
    prepare()
    tests: Sequence[str] = TESTS
    if wanted.again:
        mutants = again(wanted.again)
    elif wanted.only:
        mutants, tests = of_modules(wanted.only), own_tests(wanted.only)
    else:
        mutants = chosen(wanted.rooms, wanted.sample, wanted.seed)
    found: dict[str, list[str]] = {room: [] for room in ROOMS}
    for mutant, result in results(mutants, wanted.jobs, tests):
        found[mutant.room].append(result)
        _tell(mutant, result, wanted.out)
    text = _text(found, wanted.seed)
    print(text)
    if wanted.write:
        fill(PAGE, "mutants", text)


def _tell(mutant: Mutant, result: str, out: Path | None) -> None:
    line = mutant.line()
    if result == "survived":
        print(f"survived: {line['module']}:{line['line']}: {line['before']} -> {line['after']}")
    if out is not None:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line | {"result": result}, ensure_ascii=False) + "\n")


def _text(found: dict[str, list[str]], seed: int) -> str:
    total = [result for results in found.values() for result in results]
    rows = [_row(f"`{room}`", results) for room, results in found.items() if results]
    head = ["room", "changes", "equivalent", "noticed", "by its own tests", "share", "95 %"]
    version = platform.python_version()
    return "\n".join(
        [table(head, [*rows, _row("all", total)]), "", f"Seed {seed}, Python {version}."]
    )


def _row(name: str, results: Sequence[str]) -> list[str]:
    own, other = results.count("own"), results.count("other")
    counted = len(results) - results.count("equivalent")
    low, high = interval(own + other, counted) if counted else (0.0, 1.0)
    counts = [len(results), results.count("equivalent"), own + other, own]
    share = f"{(own + other) / counted:.1%}" if counted else "–"
    return [name, *(f"{count}" for count in counts), share, f"{low:.1%} to {high:.1%}"]


if __name__ == "__main__":
    main()
