"""Speed and memory of the package compared with other packages and minimal work; see ``make bench``."""
