"""What the user gave as PATH, one after the other, whatever happens to one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from spikedoc.cli.messages import say, say_crash
from spikedoc.cli.progress import LongRead
from spikedoc.cli.session import EXIT_BAD_INPUT, EXIT_CRASHED, EXIT_FINE, Session
from spikedoc.errors import InputError, SpikedocError, UsageError
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.text import Text

if TYPE_CHECKING:
    from spikedoc.model.run import Run
    from spikedoc.readers.base import Progress

Result = TypeVar("Result")

EMPTY_PATH: Final = Text(
    "an empty PATH; for the folder you are in, say .", "PATH 为空；要读取当前目录，请写 ."
)
WAS_READ: Final = Text(
    "cannot write {file}: it was read here; give another name",
    "无法写入 {file}：它正是读取的文件；请换一个名称",
)


@dataclass
class Gathered(Generic[Result]):
    """What came of the paths, and the worst thing that happened on the way."""

    results: list[Result] = field(default_factory=list)
    code: int = EXIT_FINE


def gather(
    paths: Sequence[str],
    read: Callable[[str, Progress], Sequence[Result]],
    session: Session,
    *,
    quiet: bool,
) -> Gathered[Result]:
    """Return what `read` makes of all paths; one that fails is told, the others are read."""
    gathered: Gathered[Result] = Gathered()
    if "" in paths:
        raise UsageError(EMPTY_PATH)
    for path in paths:
        try:
            with LongRead(Path(path).name, enabled=not quiet) as progress:
                found = read(path, progress)
        except InputError as error:
            say(error.text, session, fg="red")
            gathered.code = max(gathered.code, EXIT_BAD_INPUT)
        except SpikedocError:
            raise  # a wrong option or rule file spoils every path alike
        except Exception as error:  # one run that spikedoc fails on must not hide the others
            say_crash(error, session)
            gathered.code = EXIT_CRASHED
        else:
            gathered.results.extend(found)
    return gathered


def keep_inputs(outputs: Iterable[Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Raise UsageError when an output would be written over a file that was read.

    A link to it, or another name of it, is the same file.
    """
    written = {identity(file): file for file in outputs if file is not None}
    written.pop(None, None)
    for given in inputs:
        if given is None or str(given) == "-" or "://" in str(given):
            continue
        try:
            found = written.get(identity(Path(given).expanduser()))
        except RuntimeError:  # no such home folder
            continue
        if found is not None:
            raise UsageError(WAS_READ.fill({"file": str(found)}))
        _keep_logs_in(written.values(), Path(given).expanduser())


def _keep_logs_in(outputs: Iterable[Path], folder: Path) -> None:
    """Raise UsageError when an output would be written over a log in a folder that was read."""
    from spikedoc.ingest.recognition import LAST_READER, recognise

    for file in outputs:
        if not file.is_file() or folder.resolve() not in file.resolve().parents:
            continue
        try:
            reader, _, _ = recognise(file)
        except InputError:
            continue
        # Any text may be one more log, and what was written here before is text.
        if reader is not None and reader.name != LAST_READER:
            raise UsageError(WAS_READ.fill({"file": str(file)}))


def identity(file: Path) -> tuple[int, int] | Path | None:
    """Return what names a file whatever its path is; None for a device, which has no content."""
    try:
        if not file.exists():
            return file.resolve()
        status = file.stat()
        return (status.st_dev, status.st_ino) if file.is_file() or file.is_dir() else None
    except (OSError, RuntimeError, ValueError):  # no path at all: writing it will fail by itself
        return file


def read_runs(
    path: str, mapping: Mapping[str, str], progress: Progress, budget: Budget = DEFAULT
) -> list[Run]:
    """Return the runs at `path`."""
    from spikedoc.ingest import load_runs

    return load_runs(path, mapping=dict(mapping) or None, progress=progress, budget=budget)


THINNED: Final = Text(
    "{name}: {kept} of {points} points kept", "{name}：{points} 个点中保留了 {kept} 个"
)


def thinned_notes(run: Run) -> list[Text]:
    """Return how many points were left out of each series that was thinned."""
    return [
        THINNED.fill({"name": one.name, "kept": one.kept, "points": one.points})
        for one in run.thinned
    ]
