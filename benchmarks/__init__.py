"""Speed and memory of the package beside its peers and the physical floor; run with ``make bench``."""
