"""Word lists, and the vectors of words."""

from __future__ import annotations


def check_table_size(n_subsets: int, most: int, what: str) -> None:
    """Raise ValueError if a table of the similarities of all sublists would be too large."""
    if n_subsets > most:
        raise ValueError(
            f"{what}, which makes {n_subsets:,} sublists; expected at most {most:,}, because a table with a cell for "
            "every pair is formed: use fewer words, or consistency_profile, which forms no table"
        )
