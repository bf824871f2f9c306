"""`python -m spikedoc`, and the command of that name."""

import os
import sys

# OpenBLAS starts a thread per core when numpy is imported, which is a third of what importing it
# costs on two cores; no product of matrices here is large enough to repay one. Only where the
# program is the process: whoever imports the package keeps their own setting.
_BLAS_THREADS = "OPENBLAS_NUM_THREADS"
# What a shell reports for a program stopped by Ctrl-C: 128 and the number of SIGINT.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit; Ctrl-C is no error, not even while modules are imported."""
    os.environ.setdefault(_BLAS_THREADS, "1")
    try:
        from spikedoc.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
