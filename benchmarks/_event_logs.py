"""Event files of any size, written record by record as writers do, but many rows at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, Literal

import numpy as np
from _logs import Columns
from numpy.typing import NDArray

Flavour = Literal["scalar", "tensor"]
Bytes = NDArray[np.uint8]

FIRST_WALL_TIME: Final = 1.7e9
SECONDS_PER_STEP: Final = 0.25
SECONDS_PER_TAG: Final = 2e-5
ROWS_AT_ONCE: Final = 20_000
# A step that takes four bytes, and a value, that stand in the template for what varies.
_WALL_AT: Final = 1
_STEP_AT: Final = 10
_FLOAT_MARK: Final = np.float32(1.2345678)
_SEED: Final = 7


def write_events(path: Path, data: Columns, flavour: Flavour = "scalar") -> None:
    """Write one record per value, tag after tag within each step, steps from 0.

    tensorboard's own reader verifies the checksums.
    """
    steps = len(next(iter(data.values())))
    with path.open("wb") as file:
        file.write(framed(_version()))
        for first, last in _stretches(steps):
            rows = [
                _records(tag, number, np.arange(first, last), values[first:last], flavour)
                for number, (tag, values) in enumerate(data.items())
            ]
            file.write(np.hstack(rows).tobytes())


def write_irregular(path: Path, records: int, tags: int) -> None:
    """Write scalars of many tags in random order, some steps without them, histograms between."""
    rng = np.random.default_rng(_SEED)
    names = [f"layer_{n}/" + "block/" * (n % 5) + "loss" for n in range(tags)]
    chosen = rng.integers(0, tags, records)
    step: NDArray[np.int64] = np.cumsum(
        (rng.random(records) < 0.1).astype(np.int64)
    )  # of about ten
    values = rng.standard_normal(records)
    rows: dict[int, bytes] = {}
    for number, name in enumerate(names):
        mine = np.flatnonzero(chosen == number)
        for part in np.split(mine, np.flatnonzero(np.diff(_width(step[mine]))) + 1):
            block = _records(name, number, step[part], values[part], "scalar")
            rows.update(zip(part.tolist(), (row.tobytes() for row in block), strict=True))
    with path.open("wb") as file:
        file.write(framed(_version()))
        for place in range(records):
            file.write(rows.pop(place))
            if place % 100 == 0:
                file.write(framed(_histogram(int(step[place]), place % 7, rng)))


def write_images(path: Path, size: int, data: Columns, image_bytes: int) -> None:
    """Write the scalars of `data` with images between them, `size` bytes in all."""
    steps = len(next(iter(data.values())))
    images = max(1, size // image_bytes)
    rng = np.random.default_rng(_SEED)
    with path.open("wb") as file:
        file.write(framed(_version()))
        borders = np.linspace(0, steps, images + 1).astype(int)
        for begin, end in pairwise(borders):
            for first, last in _stretches(int(end), int(begin)):
                rows = [
                    _records(tag, number, np.arange(first, last), values[first:last], "scalar")
                    for number, (tag, values) in enumerate(data.items())
                ]
                file.write(np.hstack(rows).tobytes())
            file.write(framed(_image(int(end), rng.bytes(image_bytes))))


def framed(content: bytes) -> bytes:
    """Return the record that holds `content`."""
    head = np.frombuffer(np.uint64(len(content)).tobytes(), np.uint8)[None]
    body = np.frombuffer(content, np.uint8)[None]
    if len(content) > 4096:  # table after table for each byte: too slow for images
        return head.tobytes() + _checksums(head).tobytes() + content + _long_checksum(content)
    return b"".join(x.tobytes() for x in (head, _checksums(head), body, _checksums(body)))


def _long_checksum(content: bytes) -> bytes:
    from spikedoc.readers._crc32c import of_bytes

    try:
        from google_crc32c import value  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return of_bytes(content).to_bytes(4, "little")
    from spikedoc.readers._crc32c import mask

    return int(mask(np.array([value(content)], dtype=np.uint32))[0]).to_bytes(4, "little")


def _stretches(last: int, first: int = 0) -> Iterator[tuple[int, int]]:
    """Ranges of steps that take equally many bytes; 0 is left out by writers, so it is alone."""
    borders = sorted({first, last, *(b for b in (1, 1 << 7, 1 << 14, 1 << 21) if first < b < last)})
    for begin, end in pairwise(borders):
        for start in range(begin, end, ROWS_AT_ONCE):
            yield start, min(end, start + ROWS_AT_ONCE)


def _width(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Bytes of each step: none for 0, seven bits in each."""
    borders = np.array([1, 1 << 7, 1 << 14, 1 << 21, 1 << 28])
    return np.searchsorted(borders, steps, side="right")


def _records(
    tag: str,
    number: int,
    steps: NDArray[np.int64],
    values: NDArray[np.float64],
    flavour: Flavour,
) -> Bytes:
    """Return one framed record per row; all steps must take equally many bytes."""
    if not len(steps):
        return np.zeros((0, 0), dtype=np.uint8)
    template = np.frombuffer(_template(tag, int(steps[0]), flavour), np.uint8)
    body = np.broadcast_to(template, (len(steps), template.size)).copy()
    walls = FIRST_WALL_TIME + SECONDS_PER_STEP * steps + SECONDS_PER_TAG * number
    body[:, _WALL_AT : _WALL_AT + 8] = walls.astype("<f8").view(np.uint8).reshape(-1, 8)
    width = int(_width(steps[:1])[0])
    for byte in range(width):
        more = 0x80 if byte < width - 1 else 0
        body[:, _STEP_AT + byte] = (steps >> (7 * byte)) & 0x7F | more
    place = template.tobytes().index(_FLOAT_MARK.tobytes())
    body[:, place : place + 4] = values.astype("<f4").view(np.uint8).reshape(-1, 4)
    length = np.frombuffer(np.uint64(template.size).tobytes(), np.uint8)
    head = np.broadcast_to(length, (len(steps), 8))
    return np.hstack([head, _checksums(head), body, _checksums(body)])


def _template(tag: str, step: int, flavour: Flavour) -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto

    mark = float(_FLOAT_MARK)
    if flavour == "scalar":
        value = Summary.Value(tag=tag, simple_value=mark)
    else:
        plugin = SummaryMetadata.PluginData(plugin_name="scalars")
        tensor = TensorProto(dtype=1, float_val=[mark])
        metadata = SummaryMetadata(plugin_data=plugin)
        value = Summary.Value(tag=tag, tensor=tensor, metadata=metadata)
    content: bytes = Event(
        wall_time=FIRST_WALL_TIME, step=step, summary=Summary(value=[value])
    ).SerializeToString()
    return content


def _version() -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event

    content: bytes = Event(
        wall_time=FIRST_WALL_TIME, file_version="brain.Event:2"
    ).SerializeToString()
    return content


def _histogram(step: int, number: int, rng: np.random.Generator) -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary

    counts: Sequence[float] = rng.integers(0, 50, int(rng.integers(10, 60))).tolist()
    histogram = HistogramProto(min=-1, max=1, num=sum(counts), bucket=counts, bucket_limit=counts)
    value = Summary.Value(tag=f"weights/{number}", histo=histogram)
    content: bytes = Event(
        wall_time=FIRST_WALL_TIME, step=step, summary=Summary(value=[value])
    ).SerializeToString()
    return content


def _image(step: int, content: bytes) -> bytes:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary

    image = Summary.Image(height=1, width=1, colorspace=3, encoded_image_string=content)
    value = Summary.Value(tag="samples", image=image)
    data: bytes = Event(
        wall_time=FIRST_WALL_TIME, step=step, summary=Summary(value=[value])
    ).SerializeToString()
    return data


def _checksums(rows: Bytes) -> Bytes:
    from spikedoc.readers._crc32c import of_rows

    constant = (rows == rows[0]).all(axis=0)
    found = of_rows(np.ascontiguousarray(rows), constant).astype("<u4")
    return found.view(np.uint8).reshape(len(rows), 4)
