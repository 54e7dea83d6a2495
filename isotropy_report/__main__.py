"""``python -m isotropy_report`` is the command ``isotropy-lab``."""

import sys

from isotropy_report.cli import main

if __name__ == "__main__":
    sys.exit(main())
