"""The files of questions in a folder, which are replaced only where they were made here."""

from __future__ import annotations

import os
import tempfile
import zipfile
from pathlib import Path

from reanalyses.course.quizzes.moodle import MARK, moodle_xml
from reanalyses.course.quizzes.qti import qti
from reanalyses.course.quizzes.questions import questions

__all__ = ["MOODLE", "QTI", "write"]

#: The names of the two files.
MOODLE, QTI = "isotropy-lab-moodle.xml", "isotropy-lab-qti21.zip"


def write(folder: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Write the questions of all lessons into a folder, as Moodle XML and as a QTI 2.1 package."""
    moodle, package = Path(folder, MOODLE), Path(folder, QTI)
    for file in (moodle, package):
        if os.path.lexists(file) and not _is_ours(file):
            raise FileExistsError(
                f"{file} exists and was not made from the lessons; expected another folder, or move it away"
            )
    found = questions()
    made = {moodle: moodle_xml(found).encode(), package: qti(found)}
    Path(folder).mkdir(parents=True, exist_ok=True)
    for file, content in made.items():
        _replace(file, content)
    return moodle, package


def _is_ours(file: Path) -> bool:
    """Say whether a file bears the mark. A link does not count: what it leads to is somebody else's."""
    if file.is_symlink() or not file.is_file():
        return False
    if file.name == MOODLE:
        with file.open("rb") as stream:
            return MARK.encode() in stream.read(1_000)
    try:
        with zipfile.ZipFile(file) as package:
            return package.comment == MARK.encode()
    except zipfile.BadZipFile:
        return False


def _replace(file: Path, content: bytes) -> None:
    """Write beside the old file, and put it in its place when it is whole."""
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
    handle, beside = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(beside, mode)
        os.replace(beside, file)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
