"""Slides of a lesson as one self-contained HTML file, made from its figures and text.

Each slide has one idea: a question, a figure, a theorem, an implementation, a pitfall, or an exercise. Formulas are
MathML, figures are SVG, and a short script adds keys; without it, the slides can be read or printed in order.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

from reanalyses import lessons, teaching
from reanalyses.course.kit import plans
from reanalyses.course.kit.lesson import Lesson, part
from reanalyses.course.kit.markdown import Block, blocks, with_values, without_links

__all__ = ["Slide", "asset", "joined", "mathml", "page", "slides"]

#: Maximum number of words on a slide, and the number from which smaller letters are used.
MOST_WORDS, MANY_WORDS = 55, 70
#: An introduction with more words than this has its own slide instead of being placed above its figure.
LEAD_WORDS = 25
#: Lines of code and output that fit on a slide at full size, and characters per line.
MOST_LINES, LINE = 12, 74
#: Smallest relative size of code, and the height in points from which a figure needs more than one slide.
SMALLEST, TALL = 0.72, 300
#: Vertical position of a text in a figure.
_WORDS = r'(?:<text[^>]* y="|translate\([\d.]+ )([\d.]+)'
#: The background of a panel of a figure.
_PANEL = re.compile(
    r'd="M [\d.]+ (?P<low>[\d.]+) ?L (?P<right>[\d.]+) (?P=low) ?L (?P=right) (?P<high>[\d.]+) ?L'
)


@dataclass(frozen=True)
class Slide:
    """A slide: its kind, its heading as Markdown, and its content as HTML."""

    kind: str
    heading: str
    content: str
    notes: str = ""  #: Notes for the teacher, as HTML, which the keys "n" and "s" show.


def page(lesson: Lesson) -> str:
    """Return the slides of a lesson as one HTML page."""
    made = [*_planned(lesson, joined(slides(lesson)))]
    title = html.escape(lesson.page.title)
    sections = "\n".join(_section(slide, place, len(made)) for place, slide in enumerate(made, 1))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}: slides</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{asset('slides.css')}</style>\n</head>\n<body>\n<main>\n{sections}\n</main>\n"
        f"<script>\n{asset('slides.js')}</script>\n</body>\n</html>\n"
    )


def slides(lesson: Lesson) -> Iterator[Slide]:
    """Yield the slides of a lesson in order."""
    yield from _opening(lesson)
    heading, told, waiting = "", "", False
    for place, cell in enumerate(lesson.cells):
        source = cell["source"]
        if cell["cell_type"] == "code":
            if not lessons.is_solution(dict(cell)) and heading != "Exercises":
                yield from _from_code(cell, "What came out" if waiting else heading, told)
            continue
        if waiting and not source.startswith("#"):
            waiting = False
            answer = _prose(lesson, place).partition("\n\n")[0]
            if not answer.startswith(("#", "(")):
                yield Slide("told", "What came out", _html(_first_sentences(answer)))
        waiting = waiting or ":class: il-predict" in source
        for block in blocks(_prose(lesson, place)):
            if block.kind:
                yield from _from_directive(block, heading)
                continue
            for title, text in _sections(block.text):
                heading = title or heading
                told = _last_words(text)
                yield from _from_prose(heading, text, begins=bool(title))


def joined(made: Iterable[Slide]) -> Iterator[Slide]:
    """Combine slides that belong together: a short introduction with its figure, and a result with its meaning."""
    waiting: Slide | None = None
    for slide in made:
        if waiting is not None:
            same = slide.heading == waiting.heading
            if same and waiting.kind == "code" and slide.kind == "told" and "style=" not in waiting.content:
                slide = Slide("code", slide.heading, waiting.content + slide.content)
            elif same and waiting.kind == "idea" and slide.kind == "moving":
                pass  # the figure has its own introduction
            elif (
                same
                and waiting.kind == "idea"
                and slide.kind == "figure"
                and _n_words(waiting.content) <= LEAD_WORDS
            ):
                slide = replace(slide, notes=waiting.content + slide.notes)
            else:
                yield waiting
        waiting = slide
    if waiting is not None:
        yield waiting


def _planned(lesson: Lesson, made: Iterable[Slide]) -> Iterator[Slide]:
    """Add the planned minutes, and the remarks on these minutes in "Sessions", to the notes of the slides."""
    waiting = [*plans.rows_of(lesson.name)]
    for slide in made:
        told = ""
        for row, headings in [*waiting]:
            if slide.heading.startswith(headings):
                waiting.remove((row, headings))
                said = [
                    f"*{name}:* {row.told[name]}"
                    for name in ("You", "Right", "Wrong turn")
                    if name in row.told
                ]
                minutes = f"**Minutes {row.start} to {row.end} of the session: {row.title}**"
                told += _html(without_links("\n\n".join([minutes, *said])))
        yield replace(slide, notes=told + slide.notes)


def _opening(lesson: Lesson) -> Iterator[Slide]:
    overview = teaching.overview(lesson.name)
    where = html.escape(part(lesson.name))
    yield Slide("title", lesson.page.title, f'<p class="part">Isotropy Lab · {where}</p>')
    outcomes = "\n".join(f"- {without_links(outcome)}" for outcome in overview.outcomes)
    yield Slide("objectives", "What you will be able to do", _html(outcomes))


def _from_prose(heading: str, text: str, *, begins: bool) -> Iterator[Slide]:
    """Yield the slides of a section of prose: its beginning, its formulas, and the stated pitfalls."""
    if heading == "To take away":
        if begins and (items := re.findall(r"(?m)^- .+(?:\n  .+)*", text)):
            yield Slide("end", heading, _html("\n".join(items)))
        return
    claims = re.findall(r"(?m)^\*\*(.+?)\*\*", text)
    if heading.startswith("The catch"):
        for claim in claims:
            yield Slide("claim", heading, _html(f"**{claim}**"))
        return
    paragraphs = [piece for piece in text.split("\n\n") if piece.strip()]
    if begins and paragraphs and heading not in ("Exercises", "Questions"):
        with_formula = len(paragraphs) > 1 and paragraphs[1].startswith("$$")
        listed = len(paragraphs) > 1 and bool(re.match(r"-|1\.", paragraphs[1]))
        if listed and paragraphs[0].endswith(":"):
            lead = _last_words(paragraphs[0])
            yield Slide("idea", heading, _html(f"{lead}\n\n{paragraphs[1]}"))
        elif not with_formula and re.match(r"[\w*_`$“\"]", paragraphs[0]):
            yield Slide("idea", heading, _html(_first_sentences(paragraphs[0])))
    for before, formula in zip(["", *paragraphs], paragraphs, strict=False):
        if formula.startswith("$$"):
            lead = _last_words(before) if not before.startswith(("$$", "-", "1.")) else ""
            yield Slide("formula", heading, _html(f"{lead}\n\n{formula}"))


def _from_directive(block: Block, heading: str) -> Iterator[Slide]:
    """Yield the slide for a directive; folded sections, proofs, and the list of objectives have no slides."""
    body = _html(_without_folds(block.text))
    if block.style == "il-predict":
        yield Slide("predict", "Predict", body)
    elif block.style == "il-exercise":
        yield Slide("exercise", block.title, body)
    elif block.style == "il-question":
        yield Slide("question", block.title, body)
        yield from _answer(block)
    elif block.kind.startswith("prf:") and block.kind != "prf:proof":
        name = block.kind.removeprefix("prf:").capitalize()
        yield Slide("theorem", f"{name}: {block.title}" if block.title else name, body)


def _answer(block: Block) -> Iterator[Slide]:
    """Yield the correct choice of a question, with its explanation."""
    (answers,) = (inner.text for inner in blocks(block.text) if inner.title == "Answers")
    for place, text in re.findall(r"(?ms)^(\d+)\. (.+?)(?=^\d+\. |\Z)", answers):
        if text.startswith("Right"):
            yield Slide("answer", block.title, _html(f"**{place}.** {' '.join(text.split())}"))


def _from_code(cell: Mapping[str, Any], heading: str, told: str) -> Iterator[Slide]:
    """Yield the figure of a cell, or the code that implements a measure and is compared with the package."""
    about = cell["metadata"].get("mystnb", {})
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if drawn := data.get("image/svg+xml"):
            alt, caption = about["image"]["alt"], about["figure"]["caption"]
            claim = (re.match(r"\*\*.+?\*\*", caption) or [_sentences(caption)[0]])[0]  # rest: notes
            for panel in _panels(_described(_joined(drawn), alt)):
                figure = f"<figure>{panel}<figcaption>{_html(claim)}</figcaption></figure>"
                yield Slide("figure", heading, figure, _html(caption))
        elif 'class="il-moving"' in (moving := _joined(data.get("text/html", ""))):
            yield Slide("moving", heading, moving, _html(told))
        elif still := re.search(r'(?s)<div class="il-stage">(<svg.*?</svg>)</div>', moving):
            for panel in _panels(still[1]):
                yield Slide("figure", heading, f"<figure>{panel}</figure>", _html(told))
    checked = re.search(r"(?m)^assert .*(isclose|allclose|array_equal|==)", cell["source"])
    if (checked or heading == "What came out") and heading != "The catch":
        said = "".join(_joined(output["text"]) for output in cell.get("outputs", ()) if "text" in output)
        n_lines = sum(
            1 + len(line) // LINE for line in (cell["source"] * bool(checked) + "\n" + said).splitlines()
        )
        size = (
            f' style="font-size: {max(SMALLEST, MOST_LINES / n_lines):.2f}em"' if n_lines > MOST_LINES else ""
        )
        code = f"<pre{size}><code>{html.escape(cell['source'])}</code></pre>" if checked else ""
        result = f'<pre class="said"{size}>{html.escape(said.strip())}</pre>' if said.strip() else ""
        if n_lines > MOST_LINES / SMALLEST - 1 and code:
            yield Slide("code", heading, code)
            code = ""
        if code or result:
            yield Slide("code", heading, code + result)


def _panels(svg: str) -> Iterator[str]:
    """Yield a figure with its text or, if the figure is tall, each row of panels with its text."""
    opening, inside = re.match(r"(?s)(<svg.*?>)(.*)</svg>", svg).groups()  # type: ignore[union-attr]
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening).groups())  # type: ignore[union-attr]
    rows = list[list[float]]()
    for found in sorted((float(one["high"]), float(one["low"])) for one in _PANEL.finditer(inside)):
        if height / 8 < found[1] - found[0] < 0.8 * height:
            if rows and found[0] < rows[-1][1]:
                rows[-1][1] = max(rows[-1][1], found[1])
            else:
                rows.append([*found])
    edges, words = [0.0], sorted(float(y) for y in re.findall(_WORDS, inside))
    for (_, above), (below, _) in pairwise(rows if height > TALL else []):
        between = [above, *(y for y in words if above < y < below), below]
        gap = max(pairwise(between), key=lambda pair: pair[1] - pair[0])
        edges.append((gap[0] + gap[1] - 8) / 2)  # a word is above its line
    for top, end in pairwise([*edges, height]):
        box = f'viewBox="0 {top:g} {width:g} {end - top:g}"'
        name = f"panel-{width:g}-{top:g}-{end:g}"
        clip = (
            f'<clipPath id="{name}"><rect y="{top:g}" width="{width:g}" height="{end - top:g}"/></clipPath>'
        )
        cut = re.sub(r'viewBox="[^"]+"', box, opening)
        yield svg if len(edges) == 1 else f'{cut}{clip}<g clip-path="url(#{name})">{inside}</g></svg>'


def _section(slide: Slide, place: int, total: int) -> str:
    level = "h1" if slide.kind == "title" else "h2"
    n_words = _n_words(slide.content)
    size = " dense" if n_words > 2 * MANY_WORDS else " small" if n_words > MANY_WORDS else ""
    heading = _html(slide.heading).removeprefix("<p>").removesuffix("</p>")
    notes = f'<details class="notes"><summary>Notes</summary>{slide.notes}</details>\n' if slide.notes else ""
    return (
        f'<section class="{slide.kind}{size}" id="s{place}" aria-label="Slide {place} of {total}">\n'
        f"<{level}>{heading}</{level}>\n<div>{slide.content}</div>\n"
        f'{notes}<p class="place" aria-hidden="true">{place} / {total}</p>\n</section>'
    )


def _n_words(content: str) -> int:
    """Return the number of words of prose in HTML, without code and figures."""
    return len(re.sub(r"(?s)<(svg|script|style|math|pre)\b.*?</\1>|<[^>]+>", " ", content).split())


def _described(svg: str, alt: str) -> str:
    """Add alternative text to a figure."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1)


def _prose(lesson: Lesson, place: int) -> str:
    text = with_values(lesson.cells[place]["source"], lesson.values(place))
    return without_links(text)  # links cannot be followed on a projected slide


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Split prose at its headings; the title of the page does not count."""
    pieces = re.split(r"(?m)^#+ (.+)$", text)
    if pieces[0].strip():
        yield "", pieces[0].strip()
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if not text.startswith(f"# {title}"):
            yield title, body.strip()


def _without_folds(text: str) -> str:
    return "\n\n".join(block.text for block in blocks(text) if block.kind == "")


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!:])\s+(?=[A-Z*“$`\"])", " ".join(text.split()))


def _first_sentences(text: str) -> str:
    """Return the first sentences that fit on a slide, at least one."""
    return " ".join(_some(_sentences(text)))


def _last_words(text: str) -> str:
    """Return the last sentences of prose that fit on a slide, or "" if it ends with a list or a formula."""
    last = text.split("\n\n")[-1]
    if not last or re.match(r"[-:$|#]|\d+\. |```", last):
        return ""
    return " ".join(reversed(_some(_sentences(last)[::-1])))


def _some(sentences: Sequence[str]) -> list[str]:
    """Return as many of the first sentences in a list as fit on a slide."""
    taken: list[str] = []
    for sentence in sentences:
        if taken and sum(len(one.split()) for one in [*taken, sentence]) > MOST_WORDS:
            break
        taken.append(sentence)
    return taken


def _html(markdown: str) -> str:
    """Return Markdown as HTML, with formulas as MathML."""
    found: str = _renderer().render(markdown)
    return found.strip()


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    made = MarkdownIt("commonmark", {"html": False}).enable("table")
    return made.use(
        dollarmath_plugin,
        allow_digits=True,
        double_inline=True,
        renderer=lambda tex, options: mathml(tex, block=options["display_mode"]),
    )


def mathml(tex: str, *, block: bool = False) -> str:
    r"""Return a formula as MathML.

    >>> mathml(r"\tfrac12").count("<mfrac>")
    1
    """
    from docutils.utils.math.latex2mathml import tex2mathml  # type: ignore[import-untyped]

    # docutils parses TeX more strictly than MathJax on the site.
    tex = re.sub(r"\\[td]?frac\s*(\d)\s*(\d)", r"\\frac{\1}{\2}", tex)
    tex = re.sub(r"\\dots\b", r"\\ldots", tex)
    tex = re.sub(r"\\[Bb]igg?m", "", tex)
    found: str = tex2mathml(tex, as_block=block)
    return found


def _joined(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def asset(name: str) -> str:
    """Return the content of a file in the folder of this module."""
    return resources.files("reanalyses.course.kit").joinpath(name).read_text(encoding="utf-8")
