"""Plans from the pages "Sessions" and "Courses", parsed for tests and for the manifest of the course."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from reanalyses import lessons

SESSIONS, COURSES = "appendix/teaching-sessions", "appendix/teaching-courses"

_ROW = re.compile(
    r"(?ms)^\*\*(?P<start>\d+)–(?P<end>\d+) · (?P<title>[^\n]+?)\*\*(?: \(\*can wait\*\))?\n\n(?P<body>(?:- .+?)+?)(?=\n\n|\Z)"
)
_ITEM = re.compile(r"(?ms)^- \*(?P<name>[^*]+):\* (?P<text>.+?)(?=^- |\Z)")
_LESSON = re.compile(r"\]\(\.\./(?P<page>[\w/-]+)\.ipynb\)")


@dataclass(frozen=True)
class Row:
    """A row of a session plan: its minutes, activities, correct answers, visible figures, and common mistakes."""

    #: start, end: minutes from the beginning of the session.
    start: int
    end: int
    title: str
    notes: dict[str, str]  #: Markdown under "You", "They", "Right", "In sight", and "Wrong turn".


@dataclass(frozen=True)
class Session:
    """A session of 90 minutes, with its heading."""

    title: str
    lessons: tuple[str, ...]
    rows: tuple[Row, ...]


def sessions() -> tuple[Session, ...]:
    """Return the sessions of the page "Sessions"."""
    return tuple(
        _parse_session(title, text) for title, text in _sections(SESSIONS, "## ") if _ROW.search(text)
    )


def rows_showing(lesson: str) -> Iterator[tuple[Row, tuple[str, ...]]]:
    """Yield the session rows that show a lesson, each with the beginnings of the headings that the row shows."""
    for session in sessions():
        shown: tuple[str, ...] = session.lessons[:1]
        for row in session.rows:
            in_sight = row.notes.get("In sight", "")
            shown = _linked_lessons(in_sight) or shown
            if lesson in shown:
                visible = f"{row.title} {in_sight}".lower()
                kinds = [name for name in ("Predict", "Exercise") if name.lower()[:7] in visible]
                yield row, (row.title, *re.findall(r"\*([^*]+)\*", in_sight), *kinds)


def courses() -> dict[str, tuple[str, ...]]:
    """Return the names of the lessons of each course, by the heading of the course.

    >>> list(courses())
    ['One day', 'Six weeks', 'Twelve weeks']
    """
    lists = {title: _linked_lessons(text) for title, text in _sections(COURSES, "## ") if "\n|---" in text}
    return {title: pages for title, pages in lists.items() if pages}


def _parse_session(title: str, text: str) -> Session:
    rows = tuple(
        Row(
            int(match["start"]),
            int(match["end"]),
            match["title"],
            {item["name"]: " ".join(item["text"].split()) for item in _ITEM.finditer(match["body"])},
        )
        for match in _ROW.finditer(text)
    )
    return Session(title, _linked_lessons(text), rows)


def _sections(page: str, prefix: str) -> list[tuple[str, str]]:
    """Return the title and the text of each section of a page whose headings begin with a prefix."""
    text = (lessons.BOOK / f"{page}.md").read_text(encoding="utf-8")
    titles_and_texts = re.split(rf"(?m)^{prefix}(.+)$", text)
    return list(zip(titles_and_texts[1::2], titles_and_texts[2::2], strict=True))


def _linked_lessons(text: str) -> tuple[str, ...]:
    """Return the names of the distinct lessons to which a text links, in order."""
    pages = dict.fromkeys(match["page"] for match in _LESSON.finditer(text))
    return tuple(page for page in pages if lessons.read(page).kind == "lesson")
