"""Entry point of ``python -m reanalyses.course``, which is the same as ``python -m reanalyses course``."""

import sys

from reanalyses.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["course", *sys.argv[1:]]))
