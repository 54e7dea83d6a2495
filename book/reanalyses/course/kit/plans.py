"""Plans from the pages "Sessions" and "Courses", parsed for tests and for the list of the course."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reanalyses import lessons

__all__ = ["COURSES", "SESSIONS", "Row", "Session", "courses", "rows_of", "sessions"]

SESSIONS, COURSES = "appendix/teaching-sessions", "appendix/teaching-courses"

_ROW = re.compile(
    r"(?ms)^\*\*(?P<start>\d+)–(?P<end>\d+) · (?P<title>[^\n]+?)\*\*(?: \(\*can wait\*\))?\n\n(?P<body>(?:- .+?)+?)(?=\n\n|\Z)"
)
_ITEM = re.compile(r"(?ms)^- \*(?P<name>[^*]+):\* (?P<text>.+?)(?=^- |\Z)")
_LESSON = re.compile(r"\]\(\.\./(?P<page>[\w/-]+)\.ipynb\)")


@dataclass(frozen=True)
class Row:
    """Part of a session: its minutes, activities, correct answers, visible figures, and common mistakes."""

    #: start, end: minutes from the beginning of the session.
    start: int
    end: int
    title: str
    told: dict[str, str]  #: Markdown under "You", "They", "Right", "In sight", and "Wrong turn".


@dataclass(frozen=True)
class Session:
    """A session of 90 minutes, with its heading."""

    title: str
    lessons: tuple[str, ...]
    rows: tuple[Row, ...]


def sessions() -> tuple[Session, ...]:
    """Return the sessions in the page "Sessions"."""
    return tuple(_session(title, text) for title, text in _headed(SESSIONS, "## ") if _ROW.search(text))


def rows_of(lesson: str) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Yield the rows of sessions that show a lesson, each with the beginnings of the headings that it shows."""
    for session in sessions():
        shown: tuple[str, ...] = session.lessons[:1]
        for row in session.rows:
            seen = row.told.get("In sight", "")
            shown = _linked(seen) or shown
            if lesson in shown:
                kinds = [
                    name
                    for name in ("Predict", "Exercise")
                    if name.lower()[:7] in f"{row.title} {seen}".lower()
                ]
                yield row, (row.title, *re.findall(r"\*([^*]+)\*", seen), *kinds)


def courses() -> dict[str, tuple[str, ...]]:
    """Return the lessons of each syllabus, by its heading.

    >>> list(courses())
    ['One day', 'Six weeks', 'Twelve weeks']
    """
    found = {title: _linked(text) for title, text in _headed(COURSES, "## ") if "\n|---" in text}
    return {title: pages for title, pages in found.items() if pages}


def _session(title: str, text: str) -> Session:
    rows = tuple(
        Row(
            int(found["start"]),
            int(found["end"]),
            found["title"],
            {item["name"]: " ".join(item["text"].split()) for item in _ITEM.finditer(found["body"])},
        )
        for found in _ROW.finditer(text)
    )
    return Session(title, _linked(text), rows)


def _headed(page: str, mark: str) -> list[tuple[str, str]]:
    text = (lessons.BOOK / f"{page}.md").read_text(encoding="utf-8")
    pieces = re.split(rf"(?m)^{mark}(.+)$", text)
    return list(zip(pieces[1::2], pieces[2::2], strict=True))


def _linked(text: str) -> tuple[str, ...]:
    """Return the distinct lessons to which a text links."""
    pages = dict.fromkeys(found["page"] for found in _LESSON.finditer(text))
    return tuple(page for page in pages if lessons.read(page).kind == "lesson")
