"""``python -m isotropy_lab`` is the command ``isotropy-lab``."""

import sys

from isotropy_lab.cli import main

if __name__ == "__main__":
    sys.exit(main())
