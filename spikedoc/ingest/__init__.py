"""From a path, or a table in memory, to runs: find the files, read them, join them, name them."""

from spikedoc.ingest.frame import load_frame
from spikedoc.ingest.load import load_runs

__all__ = ["load_frame", "load_runs"]
