"""The readers that are compared; run as a program, one of them reads one log in this process.

    python benchmarks/_readers.py READER LOG OUT

Prints CPU seconds and peak memory up to the moment the values are there, then keeps them in OUT.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

    Arrays = dict[str, "np.ndarray[Any, Any]"]

# What must be importable for a reader to be there.
NEEDS: Final = {
    "spikedoc": "spikedoc",
    "event_accumulator": "tensorboard",
    "tbparse": "tbparse",
    "data_server": "tensorboard_data_server",
    "mmap_protobuf": "tensorboard",
    "pandas_csv": "pandas",
    "polars_csv": "polars",
    "pandas_jsonl": "pandas",
    "polars_jsonl": "polars",
}


def spikedoc(path: Path) -> Arrays:
    """Return the values of every tag, through spikedoc's reader of that kind of file."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does, see __main__
    module = {".csv": "csv", ".jsonl": "jsonl"}.get(path.suffix, "tensorboard")
    reader = import_module(f"spikedoc.readers.{module}").READER
    return {one.tag: one.values for one in reader.read(path).series}


def event_accumulator(path: Path) -> Arrays:
    """Return the values of every tag, without the limit of 10,000 points."""
    import numpy as np
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    accumulator = EventAccumulator(str(path), size_guidance={"scalars": 0, "tensors": 0})
    accumulator.Reload()
    tags = accumulator.Tags()
    found = {t: np.array([e.value for e in accumulator.Scalars(t)]) for t in tags["scalars"]}
    for tag in tags["tensors"]:
        events = accumulator.Tensors(tag)
        found[tag] = np.array([e.tensor_proto.float_val[0] for e in events])
    return found


def tbparse(path: Path) -> Arrays:
    """Return the values of every tag, from one data frame."""
    reader = import_module("tbparse").SummaryReader(str(path))
    frame = reader.scalars if len(reader.scalars) else reader.tensors
    return {str(tag): part["value"].to_numpy() for tag, part in frame.groupby("tag", sort=False)}


def mmap_protobuf(path: Path) -> Arrays:
    """Return the values of every tag: the file in memory, a message per record, no checksums."""
    import mmap
    import struct

    import numpy as np
    from tensorboard.compat.proto.event_pb2 import Event

    length = struct.Struct("<Q").unpack_from
    values: dict[str, list[float]] = {}
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
        place, size = 0, len(data)
        while place < size:
            end = place + 12 + length(data, place)[0]
            for value in Event.FromString(data[place + 12 : end]).summary.value:
                if value.HasField("simple_value"):
                    values.setdefault(value.tag, []).append(value.simple_value)
            place = end + 4
    return {tag: np.array(found) for tag, found in values.items()}


def data_server(path: Path) -> Arrays:
    """Return the values of every tag, from tensorboard's data server (Rust) over gRPC."""
    from _data_server import read

    return read(path.parent)


def pandas_csv(path: Path) -> Arrays:
    """Return the columns."""
    import pandas as pd

    frame = pd.read_csv(path)
    return {str(name): frame[name].to_numpy() for name in frame if name != "step"}


def polars_csv(path: Path) -> Arrays:
    """Return the columns."""
    pl = import_module("polars")
    frame = pl.read_csv(path)
    return {name: frame[name].to_numpy() for name in frame.columns if name != "step"}


def pandas_jsonl(path: Path) -> Arrays:
    """Return the keys."""
    import pandas as pd

    frame = pd.read_json(path, lines=True, precise_float=True)
    return {str(name): frame[name].to_numpy() for name in frame if name != "step"}


def polars_jsonl(path: Path) -> Arrays:
    """Return the keys."""
    pl = import_module("polars")
    frame = pl.read_ndjson(path)
    return {name: frame[name].to_numpy() for name in frame.columns if name != "step"}


READERS: Final[dict[str, Callable[[Path], Arrays]]] = {
    reader.__name__: reader
    for reader in (
        spikedoc,
        event_accumulator,
        tbparse,
        data_server,
        mmap_protobuf,
        pandas_csv,
        polars_csv,
        pandas_jsonl,
        polars_jsonl,
    )
}


def main(reader: str, path: Path, out: Path) -> None:
    """Read, print what it took, keep the values."""
    found = READERS[reader](path)
    seconds, peak = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    children = resource.getrusage(resource.RUSAGE_CHILDREN)  # the data server
    seconds += children.ru_utime + children.ru_stime
    print(f"{seconds:.4f} {(peak + children.ru_maxrss) / 1024:.1f}")
    import numpy as np

    # Names of arrays in the archive are numbers: tags may hold slashes.
    names = np.array(list(found))
    arrays: dict[str, Any] = {str(n): values for n, values in enumerate(found.values())}
    np.savez(out, names=names, **arrays)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
