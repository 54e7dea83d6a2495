"""Entry point of ``python -m isotropy_report``, which runs the command ``isotropy-lab``."""

import sys

from isotropy_report.cli import main

if __name__ == "__main__":
    sys.exit(main())
