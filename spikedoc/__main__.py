"""`python -m spikedoc`, and the command of that name."""

import sys

# What a shell reports for a program stopped by Ctrl-C: 128 and the number of SIGINT.
_INTERRUPTED = 130


def main() -> None:
    """Run the command line and exit; Ctrl-C is no error, not even while modules are imported."""
    try:
        from spikedoc.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
