"""Cache of the results of claims, shared by pages, the ledger, the errata, and tests until the sources change.

A result is stored with the digests of what it depends on: the module that computes it, everything that this
module imports, their data, and all files read during the computation. If one of them changes, the result is
recomputed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from isotropy_report._output import replace_file
from reanalyses import sources

if TYPE_CHECKING:
    from reanalyses.ledger import Finding

__all__ = ["FOLDER", "once"]

#: Environment variable with the folder: empty disables the cache; if unset, the folder of the build is used.
FOLDER = "ISOTROPY_LAB_FINDINGS"
#: Whether this process may write to the cache; False in a process that has altered numbers on purpose.
WRITES = True


def once(path: str, function: Callable[[], Finding]) -> Finding:
    """Return the result of the function at a dotted path; a result that is still current is not recomputed."""
    from reanalyses.ledger import Finding

    built = sources.ROOT / "book" / "_build" / "findings"
    folder = os.environ.get(FOLDER, str(built) if built.is_dir() else "")
    static = sources.behind(path.rpartition(".")[0], sources.ROOT)
    if not folder or not static:
        return function()
    file = Path(folder) / f"{path}.json"
    content = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"rests_on": {}}
    if not sources.unchanged(content["rests_on"], sources.ROOT):
        found, read = sources.seen_by(function, sources.ROOT)
        holds = None if found.holds is None else bool(found.holds)
        finding = {"values": [float(value) for value in found.values], "holds": holds, "detail": found.detail}
        names = {*static, *read, "requirements.lock"}
        content = {"finding": finding, "rests_on": sources.state(names, sources.ROOT)}
        if WRITES and sources.untouched(names, sources.ROOT):
            replace_file(file, json.dumps(content), name="the finding")
    sources.rest_on(content["rests_on"].keys() - {"python"})
    finding = content["finding"]
    return Finding(tuple(finding["values"]), finding["holds"], finding["detail"])
