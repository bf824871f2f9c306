"""What is fuzzed: every reader, and what stands on them, each with the logs that it begins with."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import sqlite3
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from spikedoc.errors import SpikedocError
from spikedoc.ingest.discovery import may_be_log
from spikedoc.ingest.packing import unpacked
from spikedoc.ingest.recognition import readers, recognise
from spikedoc.readers.base import FolderReader, Reader

ROOT: Final = Path(__file__).resolve().parents[1]
SEEDS: Final = (ROOT / "sample_logs", ROOT / "tests" / "data")
# What is no log: programs, descriptions.
_NOT_SEEDS: Final = frozenset({".py", ".toml", ".md"})
# A longer seed is cut: what its end would show, its beginning shows in less time.
LONGEST_SEED: Final = 1_500
LONGEST_BINARY_SEED: Final = 16_000
LONGEST_EVENTS: Final = 4_000
# Folders above a file by whose names some formats are known.
_FOLDERS_ABOVE: Final = 4
_SMALLEST_PAGE: Final = 512  # bytes, of SQLite


@dataclass(frozen=True, slots=True)
class Seed:
    """A log to begin with, in a folder of its own, and what is read of it."""

    file: Path  # overwritten by each input
    given: Path  # what the reader is given: the file, or the folder that is one log
    content: bytes


Call = Callable[[Seed, Random], object]
# A file, what a reader is given of it, and its content.
Found = tuple[Path, Path, bytes]


@dataclass(frozen=True, slots=True)
class Target:
    """A way into the program and its seeds."""

    name: str
    call: Call
    seeds: tuple[Seed, ...]

    def feed(self, content: bytes, which: int, random: Random) -> bool:
        """Return whether `content` in place of a seed was read; False when it was refused.

        Anything but a refusal meant for the user is raised.
        """
        seed = self.seeds[which % len(self.seeds)]
        seed.file.write_bytes(content)
        try:
            self.call(seed, random)
        except SpikedocError:
            return False
        return True


def names() -> list[str]:
    """Return the names of all targets."""
    return [*readers(), *_WHOLE, *_ASIDE]


def targets(place: Path, wanted: Collection[str]) -> dict[str, Target]:
    """Return the targets of these names; their seeds are laid out below `place`."""
    every = [path for folder in SEEDS for path in sorted(folder.rglob("*")) if _is_seed(path)]
    made: dict[str, Target] = {}
    for name in wanted:
        if name in _ASIDE:
            call, seeds = _ASIDE[name]
            made[name] = Target(name, call, _laid_out(seeds(place / "made", every), place / name))
            continue
        logs = _logs(every, place / "made")
        own = [one for kind, some in logs.items() for one in some if kind == name or name in _WHOLE]
        call = _WHOLE[name] if name in _WHOLE else _reading(readers()[name])
        made[name] = Target(name, call, _laid_out(own, place / name))
    return made


def _logs(every: list[Path], place: Path) -> dict[str, list[Found]]:
    """The logs by the name of their reader."""
    found: dict[str, list[Found]] = {}
    for path in [*every, *_made(place)]:
        name = _reader_of(path)
        if name:
            found.setdefault(name, []).append((path, _whole(path, name), _cut(path)))
    return found


def _is_seed(path: Path) -> bool:
    return path.is_file() and path.suffix not in _NOT_SEEDS and path.stat().st_size > 0


def _reader_of(path: Path) -> str:
    try:
        reader, _, packing = recognise(path)
    except SpikedocError:
        return ""
    if reader is None or packing or not may_be_log(path):
        return ""
    return next(name for name, one in readers().items() if one is reader)


def _whole(path: Path, name: str) -> Path:
    """The folder that is one log with the file, else the file."""
    reader = readers().get(name)
    folder = reader.log_folder(path) if isinstance(reader, FolderReader) else None
    return folder or path


def _cut(path: Path) -> bytes:
    """The beginning of a text, whole lines of it; of a database its smallest form."""
    content = path.read_bytes()
    if content.startswith(b"SQLite format 3\x00"):
        return _smallest(content)
    if "tfevents" in path.name:
        return content[:LONGEST_EVENTS]
    if b"\x00" in content[:1000] or content.startswith(b"PK"):
        return content[:LONGEST_BINARY_SEED]
    if len(content) <= LONGEST_SEED or content[:1] == b"[":
        return content[:LONGEST_BINARY_SEED]
    end = content.rfind(b"\n", 0, LONGEST_SEED) + 1
    return content[: end or LONGEST_SEED]


def _smallest(content: bytes) -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.deserialize(content)
    connection.execute(f"PRAGMA page_size = {_SMALLEST_PAGE}")
    connection.execute("VACUUM")
    made = connection.serialize()
    connection.close()
    return made


def _laid_out(found: list[Found], place: Path) -> tuple[Seed, ...]:
    """Copies of the logs below `place`, each with the names of the folders that it lay in."""
    seeds = []
    for number, (path, given, content) in enumerate(found):
        above = given if given == path else given.joinpath("x")
        copy = place.joinpath(str(number), *above.parts[-1 - _FOLDERS_ABOVE : -1])
        copy.mkdir(parents=True)
        if given == path:
            file, read = copy / path.name, copy / path.name
        else:
            shutil.copytree(given, copy, dirs_exist_ok=True)
            file, read = copy / path.relative_to(given), copy
        seeds.append(Seed(file, read, content))
    return tuple(seeds)


def _reading(reader: Reader) -> Call:
    def call(seed: Seed, _: Random) -> object:
        content_head = seed.file.read_bytes()[:65_536]
        reader.accepts(seed.file, content_head)
        return reader.read(seed.given)

    return call


def _load(seed: Seed, _: Random) -> object:
    from spikedoc.ingest import load_runs

    return load_runs(seed.given)


def _analyze(seed: Seed, random: Random) -> object:
    from spikedoc.pipeline import analyze_all

    reports = analyze_all(seed.given, with_charts=random.random() < 0.5)
    return [_render(report, random) for report in reports]


def _render(report: Any, random: Random) -> str:
    import spikedoc.renderers
    from spikedoc.plugins import discover
    from spikedoc.renderers.base import RenderOptions
    from spikedoc.text import Language

    renderers = discover(spikedoc.renderers, "RENDERER")
    options = RenderOptions(
        random.choice(list(Language)),
        width=random.choice((40, 100)),
        verbose=random.random() < 0.5,
        unicode=random.random() < 0.5,
    )
    text: str = renderers[random.choice(sorted(renderers))](report, options)
    return text


def _unpack(seed: Seed, _: Random) -> object:
    reader, _size, packing = recognise(seed.file)
    if reader is None or not packing:
        return None
    with unpacked(seed.file, packing, []) as plain:
        return reader.read(plain)


def _config(seed: Seed, _: Random) -> object:
    from spikedoc.ingest.config import bounded, canonical
    from spikedoc.ingest.config_files import config_beside

    return bounded(canonical(config_beside(seed.file.parent)[0]))


def _report(seed: Seed, random: Random) -> object:
    from spikedoc.model.codec import loads

    return _render(loads(seed.file.read_text(encoding="utf-8", errors="replace")), random)


def _made(place: Path) -> list[Path]:
    """Logs in layouts of which no sample lies in the repository."""
    rows = range(1, 41)
    table = "step,loss\n" + "".join(f"{n},{3 / n:.5f}\n" for n in rows)
    made = {
        "d3rlpy/params.json": "{}",
        "d3rlpy/loss.csv": "".join(f"{n},{n * 100},{3 / n:.5f}\n" for n in rows),
        "d3rlpy/grad.csv": "epoch,step,min,max,mean,std\n" + "1,100,0.1,0.5,0.2,0.1\n" * 9,
        "long/log.csv": "step,metric,value\n" + "".join(f"{n},loss,{3 / n:.4f}\n" for n in rows),
        "decimal/log.csv": table.replace(",", ";").replace(".", ","),
        "quoted/log.csv": table.replace("step,loss", '"step","train ""loss"""'),
        "blank/log.csv": table.replace(",", "   "),
        "array/log.json": "["
        + ",".join(f'{{"step": {n}, "loss": {3 / n:.5f}}}' for n in rows)
        + "]",
        "columns/log.json": f'{{"step": {[*rows]}, "loss": {[3 / n for n in rows]}}}',
        "sacred/metrics.json": f'{{"loss": {{"steps": {[*rows]}, "values": {[*rows]}}}}}',
        "keys/log.jsonl": '{"metric": "loss", "value": 1.5, "step": 10}\n' * 20,
    }
    made |= {f"lines/{name}/train.log": log for name, log in _line_samples().items()}
    for name, text in made.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return [place / name for name in made if not name.endswith("params.json")]


def _line_samples() -> dict[str, str]:
    """The hand-written logs that the tests hold for every layout of lines."""
    sys.path.insert(0, str(ROOT / "tests" / "readers" / "lines"))
    try:
        from line_samples import SAMPLES  # type: ignore[import-not-found, unused-ignore]
    finally:
        sys.path.pop(0)
    return {name: sample.log for name, sample in SAMPLES.items()}


def _packed(place: Path, _: list[Path]) -> list[Found]:
    text = "step,loss\n" + "".join(f"{n},{3 / n:.5f}\n" for n in range(1, 41))
    packers: dict[str, Callable[[bytes], bytes]] = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": _zstd,
    }
    found = []
    for suffix, pack in packers.items():
        path = place / f"log.csv.{suffix}"
        found.append((path, path, pack(text.encode())))
    return [one for one in found if one[2]]


def _zstd(content: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        return b""
    packed: bytes = zstandard.ZstdCompressor().compress(content)
    return packed


def _configs(_: Path, every: list[Path]) -> list[Found]:
    names = ("config.json", "hparams.yaml", "params.yaml", "config.yaml", "args.yaml")
    found = [(path, path, path.read_bytes()[:LONGEST_SEED]) for path in _named(every, names)]
    python = Path("x/run/mmengine/config.py")
    return [*found, (python, python, b"lr = 0.1\noptimizer = dict(type='SGD', lr=lr)\n")]


def _named(every: list[Path], names: tuple[str, ...]) -> list[Path]:
    return [path for path in every if path.name in names]


def _reports(place: Path, _: list[Path]) -> list[Found]:
    from spikedoc.model.codec import dumps
    from spikedoc.pipeline import analyze_all

    found = []
    for run in sorted((ROOT / "sample_logs").glob("*/run"))[::6]:
        path = place / "saved" / f"{run.parent.name}.json"
        report = analyze_all(run)[0]
        found.append((path, path, dumps(report).encode()))
    return found


# Everything that stands on the readers, from any log.
_WHOLE: Final[Mapping[str, Call]] = {"load": _load, "analyze": _analyze}
# What is read beside logs, with seeds of its own.
_ASIDE: Final[Mapping[str, tuple[Call, Callable[[Path, list[Path]], list[Found]]]]] = {
    "packed": (_unpack, _packed),
    "config": (_config, _configs),
    "report": (_report, _reports),
}
