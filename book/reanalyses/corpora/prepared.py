"""Texts that were read from other packages beforehand, for a browser, which has none of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def prepared(name: str) -> Any:
    """Return a text that `scripts/get_live.py` has put beside this module in the browser's copy; else None."""
    file = Path(__file__).with_name("data") / f"prepared-{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None
