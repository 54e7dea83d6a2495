"""What a build of the book has found is computed once: case files, the ledger and the errata show the same numbers.

The build names a folder, which it empties whenever code or data change; without one everything is computed anew.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from isotropy_lab._output import replace_file

if TYPE_CHECKING:
    from reanalyses.ledger import Finding

__all__ = ["FOLDER", "once"]

#: The environment variable with the folder.
FOLDER = "ISOTROPY_LAB_FINDINGS"


def once(path: str, function: Callable[[], Finding]) -> Finding:
    """Return what a function finds; `path` is its dotted path. A finding in the folder is not computed again.

    Examples
    --------
    >>> from reanalyses.ledger import Finding
    >>> once("some.function", lambda: Finding((0.5,), True, "half")).detail
    'half'
    """
    if not (folder := os.environ.get(FOLDER)):
        return function()
    file = Path(folder) / f"{path}.json"
    if not file.exists():
        found = function()
        holds = None if found.holds is None else bool(found.holds)
        content = {"values": [float(value) for value in found.values], "holds": holds, "detail": found.detail}
        replace_file(file, json.dumps(content), name="the finding")
    from reanalyses.ledger import Finding

    content = json.loads(file.read_text(encoding="utf-8"))
    return Finding(tuple(content["values"]), content["holds"], content["detail"])
