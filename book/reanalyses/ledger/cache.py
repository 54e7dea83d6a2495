"""Cache of the results of claims, shared by pages, the ledger, the errata, and tests until the sources change.

A result is stored with the digests of what it depends on: the module that computes it, everything that this
module imports, their data, and all files read during the computation. If one of them changes, or if the stored
file cannot be read, the result is recomputed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from isotropy_report._output import replace_file
from reanalyses import dependencies

if TYPE_CHECKING:
    from reanalyses.ledger import Finding

#: Environment variable with the folder: empty disables the cache; if unset, the folder of the build is used.
FOLDER_VARIABLE = "ISOTROPY_LAB_FINDINGS"
#: Whether this process may write to the cache; False in a process that has altered numbers on purpose.
MAY_WRITE = True


def cached_finding(path: str, function: Callable[[], Finding]) -> Finding:
    """Return the result of the function at a dotted path; a result that is still current is not recomputed."""
    from reanalyses.ledger import Finding

    build_folder = dependencies.ROOT / "book" / "_build" / "findings"
    folder = os.environ.get(FOLDER_VARIABLE, str(build_folder) if build_folder.is_dir() else "")
    imported_files = dependencies.imported_files(path.rpartition(".")[0], dependencies.ROOT)
    if not folder or not imported_files:
        return function()
    file = Path(folder) / f"{path}.json"
    try:
        finding, digests = _read_finding(file)
    except (OSError, ValueError, KeyError, TypeError):  # a missing or damaged file
        digests = {}
    if not dependencies.digests_match(digests, dependencies.ROOT):
        computed, read_files = dependencies.call_and_list_files(function, dependencies.ROOT)
        holds = None if computed.holds is None else bool(computed.holds)
        finding = Finding(tuple(map(float, computed.values)), holds, computed.detail)
        names = {*imported_files, *read_files, "requirements.lock"}
        digests = dependencies.digests_of(names, dependencies.ROOT)
        if MAY_WRITE and dependencies.are_unmodified(names, dependencies.ROOT):
            content = {"finding": vars(finding), "digests": digests}
            replace_file(file, json.dumps(content), name="the finding")
    dependencies.add_dependencies(digests.keys() - {"python"})
    return finding


def _read_finding(file: Path) -> tuple[Finding, dict[str, str]]:
    """Return a stored result, and the digests of the files on which it depends."""
    from reanalyses.ledger import Finding

    content = json.loads(file.read_text(encoding="utf-8"))
    finding, digests = content["finding"], content["digests"]
    return Finding(tuple(map(float, finding["values"])), finding["holds"], str(finding["detail"])), dict(
        digests
    )
