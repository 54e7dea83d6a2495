"""Slides of a lesson as one self-contained HTML file, made from its figures and text.

Each slide has one idea: a question, a figure, a theorem, an implementation, a pitfall, or an exercise. Formulas are
MathML, figures are SVG, and a short script adds keys; without it, the slides can be read or printed in order.
"""

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
from reanalyses.course.kit.lesson import ExecutedLesson, part_title
from reanalyses.course.kit.markdown import Block, blocks, insert_values, remove_links

#: Maximum number of words on a slide, and the number of words above which smaller letters are used.
MAX_WORDS, SMALL_TEXT_WORDS = 55, 70
#: An introduction with more words than this has its own slide instead of being placed above its figure.
MAX_LEAD_WORDS = 25
#: Number of lines of code and output that fit on a slide at full size, and number of characters per line.
MAX_LINES, LINE_LENGTH = 12, 74
#: Smallest relative size of code, and the height in points above which a figure needs more than one slide.
MIN_CODE_SIZE, TALL_FIGURE = 0.72, 300
#: Pattern of the vertical position of a text in a figure.
_TEXT_POSITION = r'(?:<text[^>]* y="|translate\([\d.]+ )([\d.]+)'
#: Pattern of the background of a panel of a figure.
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


def page(lesson: ExecutedLesson) -> str:
    """Return the slides of a lesson as one HTML page."""
    all_slides = [*_add_planned_minutes(lesson, combine_slides(slides(lesson)))]
    title = html.escape(lesson.page.title)
    n_slides = len(all_slides)
    sections = "\n".join(_section_html(slide, i, n_slides) for i, slide in enumerate(all_slides, 1))
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}: slides</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>\n{read_asset('slides.css')}</style>\n</head>\n<body>\n<main>\n{sections}\n</main>\n"
        f"<script>\n{read_asset('slides.js')}</script>\n</body>\n</html>\n"
    )


def slides(lesson: ExecutedLesson) -> Iterator[Slide]:
    """Yield the slides of a lesson in order, without its optional end."""
    yield from _opening_slides(lesson)
    heading = lead = ""
    is_pending = False  # whether the result of a prediction has not been shown yet
    for cell_index, cell in enumerate(lessons.main_cells(lesson.cells)):
        source = cell["source"]
        if cell["cell_type"] == "code":
            if not lessons.is_solution(dict(cell)) and heading != "Exercises":
                yield from _slides_of_code(cell, "What came out" if is_pending else heading, lead)
            continue
        if is_pending and not source.startswith("#"):
            is_pending = False
            answer = _prose_of_cell(lesson, cell_index).partition("\n\n")[0]
            if not answer.startswith(("#", "(")):
                yield Slide("told", "What came out", _to_html(_first_sentences(answer)))
        is_pending = is_pending or ":class: il-predict" in source
        for block in blocks(_prose_of_cell(lesson, cell_index)):
            if block.kind:
                yield from _slides_of_directive(block, heading)
                continue
            for title, text in _split_at_headings(block.text):
                heading = title or heading
                lead = _last_sentences(text)
                yield from _slides_of_prose(heading, text, begins=bool(title))


def combine_slides(lesson_slides: Iterable[Slide]) -> Iterator[Slide]:
    """Combine a short introduction with its figure, and a result with its explanation."""
    previous: Slide | None = None
    for slide in lesson_slides:
        if previous is not None:
            kinds = (previous.kind, slide.kind) if slide.heading == previous.heading else None
            if kinds == ("code", "told") and "style=" not in previous.content:
                slide = Slide("code", slide.heading, previous.content + slide.content)
            elif kinds == ("idea", "moving"):
                pass  # the figure has its own introduction
            elif kinds == ("idea", "figure") and _count_words(previous.content) <= MAX_LEAD_WORDS:
                slide = replace(slide, notes=previous.content + slide.notes)
            else:
                yield previous
        previous = slide
    if previous is not None:
        yield previous


def _add_planned_minutes(lesson: ExecutedLesson, lesson_slides: Iterable[Slide]) -> Iterator[Slide]:
    """Add the planned minutes, and the remarks on these minutes in "Sessions", to the notes of the slides."""
    pending = [*plans.rows_showing(lesson.name)]
    for slide in lesson_slides:
        notes = ""
        for row, headings in [*pending]:
            if slide.heading.startswith(headings):
                pending.remove((row, headings))
                remarks = [
                    f"*{name}:* {row.notes[name]}"
                    for name in ("You", "Right", "Wrong turn")
                    if name in row.notes
                ]
                minutes = f"**Minutes {row.start} to {row.end} of the session: {row.title}**"
                notes += _to_html(remove_links("\n\n".join([minutes, *remarks])))
        yield replace(slide, notes=notes + slide.notes)


def _opening_slides(lesson: ExecutedLesson) -> Iterator[Slide]:
    overview = teaching.overview(lesson.name)
    part = html.escape(part_title(lesson.name))
    yield Slide("title", lesson.page.title, f'<p class="part">Isotropy Lab · {part}</p>')
    outcomes = "\n".join(f"- {remove_links(outcome)}" for outcome in overview.outcomes)
    yield Slide("objectives", "What you will be able to do", _to_html(outcomes))


def _slides_of_prose(heading: str, text: str, *, begins: bool) -> Iterator[Slide]:
    """Yield the slides of a section of prose: its beginning, its formulas, and the stated pitfalls."""
    if heading == "To take away":
        if begins and (items := re.findall(r"(?m)^- .+(?:\n  .+)*", text)):
            yield Slide("end", heading, _to_html("\n".join(items)))
        return
    claims = re.findall(r"(?m)^\*\*(.+?)\*\*", text)
    if heading.startswith("The catch"):
        for claim in claims:
            yield Slide("claim", heading, _to_html(f"**{claim}**"))
        return
    paragraphs = [piece for piece in text.split("\n\n") if piece.strip()]
    if begins and paragraphs and heading not in ("Exercises", "Questions"):
        has_formula = len(paragraphs) > 1 and paragraphs[1].startswith("$$")
        is_list = len(paragraphs) > 1 and bool(re.match(r"-|1\.", paragraphs[1]))
        if is_list and paragraphs[0].endswith(":"):
            lead = _last_sentences(paragraphs[0])
            yield Slide("idea", heading, _to_html(f"{lead}\n\n{paragraphs[1]}"))
        elif not has_formula and re.match(r"[\w*_`$“\"]", paragraphs[0]):
            yield Slide("idea", heading, _to_html(_first_sentences(paragraphs[0])))
    for previous, formula in zip(["", *paragraphs], paragraphs, strict=False):
        if formula.startswith("$$"):
            lead = _last_sentences(previous) if not previous.startswith(("$$", "-", "1.")) else ""
            yield Slide("formula", heading, _to_html(f"{lead}\n\n{formula}"))


def _slides_of_directive(block: Block, heading: str) -> Iterator[Slide]:
    """Yield the slide for a directive; folded sections, proofs, and the list of objectives have no slides."""
    body = _to_html(_remove_folds(block.text))
    if block.style == "il-predict":
        yield Slide("predict", "Predict", body)
    elif block.style == "il-exercise":
        yield Slide("exercise", block.title, body)
    elif block.style == "il-question":
        yield Slide("question", block.title, body)
        yield from _answer_slide(block)
    elif block.kind.startswith("prf:") and block.kind != "prf:proof":
        name = block.kind.removeprefix("prf:").capitalize()
        yield Slide("theorem", f"{name}: {block.title}" if block.title else name, body)


def _answer_slide(block: Block) -> Iterator[Slide]:
    """Yield the correct choice of a question, with its explanation."""
    (answers,) = (inner.text for inner in blocks(block.text) if inner.title == "Answers")
    for number, text in re.findall(r"(?ms)^(\d+)\. (.+?)(?=^\d+\. |\Z)", answers):
        if text.startswith("Right"):
            yield Slide("answer", block.title, _to_html(f"**{number}.** {' '.join(text.split())}"))


def _slides_of_code(cell: Mapping[str, Any], heading: str, lead: str) -> Iterator[Slide]:
    """Yield the figure of a cell, or the code that implements a measure and is compared with the package."""
    metadata = cell["metadata"].get("mystnb", {})
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if svg := data.get("image/svg+xml"):
            alt, caption = metadata["image"]["alt"], metadata["figure"]["caption"]
            claim = (re.match(r"\*\*.+?\*\*", caption) or _sentences(caption))[0]  # the notes have the rest
            for panel in _panels(_add_alt_text(_as_text(svg), alt)):
                figure = f"<figure>{panel}<figcaption>{_to_html(claim)}</figcaption></figure>"
                yield Slide("figure", heading, figure, _to_html(caption))
        elif 'class="il-moving"' in (html_output := _as_text(data.get("text/html", ""))):
            yield Slide("moving", heading, html_output, _to_html(lead))
        elif static := re.search(r'(?s)<div class="il-stage">(<svg.*?</svg>)</div>', html_output):
            for panel in _panels(static[1]):
                yield Slide("figure", heading, f"<figure>{panel}</figure>", _to_html(lead))
    is_checked = re.search(r"(?m)^assert .*(isclose|allclose|array_equal|==)", cell["source"])
    if (is_checked or heading == "What came out") and heading != "The catch":
        printed = "".join(_as_text(output["text"]) for output in cell.get("outputs", ()) if "text" in output)
        text = cell["source"] * bool(is_checked) + "\n" + printed
        n_lines = sum(1 + len(line) // LINE_LENGTH for line in text.splitlines())
        relative_size = max(MIN_CODE_SIZE, MAX_LINES / n_lines)
        style = f' style="font-size: {relative_size:.2f}em"' if n_lines > MAX_LINES else ""
        code = f"<pre{style}><code>{html.escape(cell['source'])}</code></pre>" if is_checked else ""
        result = f'<pre class="said"{style}>{html.escape(printed.strip())}</pre>' if printed.strip() else ""
        if n_lines > MAX_LINES / MIN_CODE_SIZE - 1 and code:
            yield Slide("code", heading, code)
            code = ""
        if code or result:
            yield Slide("code", heading, code + result)


def _panels(svg: str) -> Iterator[str]:
    """Yield a figure with its text or, if the figure is tall, each row of panels with its text."""
    opening, content = re.match(r"(?s)(<svg.*?>)(.*)</svg>", svg).groups()  # type: ignore[union-attr]
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', opening).groups())  # type: ignore[union-attr]
    rows = list[list[float]]()
    for panel in sorted((float(match["high"]), float(match["low"])) for match in _PANEL.finditer(content)):
        if height / 8 < panel[1] - panel[0] < 0.8 * height:
            if rows and panel[0] < rows[-1][1]:
                rows[-1][1] = max(rows[-1][1], panel[1])
            else:
                rows.append([*panel])
    text_positions = sorted(float(y) for y in re.findall(_TEXT_POSITION, content))
    edges = [0.0]
    for (_, previous_bottom), (next_top, _) in pairwise(rows if height > TALL_FIGURE else []):
        between = [previous_bottom, *(y for y in text_positions if previous_bottom < y < next_top), next_top]
        widest_gap = max(pairwise(between), key=lambda pair: pair[1] - pair[0])
        edges.append((widest_gap[0] + widest_gap[1] - 8) / 2)  # a word is above its line
    for top, bottom in pairwise([*edges, height]):
        view_box = f'viewBox="0 {top:g} {width:g} {bottom - top:g}"'
        clip_id = f"panel-{width:g}-{top:g}-{bottom:g}"
        clip = f'<clipPath id="{clip_id}"><rect y="{top:g}" width="{width:g}" height="{bottom - top:g}"/></clipPath>'
        view = re.sub(r'viewBox="[^"]+"', view_box, opening)
        yield (svg if len(edges) == 1 else f'{view}{clip}<g clip-path="url(#{clip_id})">{content}</g></svg>')


def _section_html(slide: Slide, number: int, total: int) -> str:
    tag = "h1" if slide.kind == "title" else "h2"
    n_words = _count_words(slide.content)
    size = " dense" if n_words > 2 * SMALL_TEXT_WORDS else " small" if n_words > SMALL_TEXT_WORDS else ""
    heading = _to_html(slide.heading).removeprefix("<p>").removesuffix("</p>")
    notes = f'<details class="notes"><summary>Notes</summary>{slide.notes}</details>\n' if slide.notes else ""
    return (
        f'<section class="{slide.kind}{size}" id="s{number}" aria-label="Slide {number} of {total}">\n'
        f"<{tag}>{heading}</{tag}>\n<div>{slide.content}</div>\n"
        f'{notes}<p class="place" aria-hidden="true">{number} / {total}</p>\n</section>'
    )


def _count_words(content: str) -> int:
    """Return the number of words of prose in HTML, without code and figures."""
    return len(re.sub(r"(?s)<(svg|script|style|math|pre)\b.*?</\1>|<[^>]+>", " ", content).split())


def _add_alt_text(svg: str, alt: str) -> str:
    """Add alternative text to a figure."""
    return svg.replace("<svg", f'<svg role="img" aria-label="{html.escape(alt)}"', 1)


def _prose_of_cell(lesson: ExecutedLesson, cell_index: int) -> str:
    text = insert_values(lesson.cells[cell_index]["source"], lesson.values_in_cell(cell_index))
    return remove_links(text)  # links cannot be followed on a projected slide


def _split_at_headings(text: str) -> Iterator[tuple[str, str]]:
    """Split prose at its headings; the title of the page does not count."""
    pieces = re.split(r"(?m)^#+ (.+)$", text)
    if pieces[0].strip():
        yield "", pieces[0].strip()
    for title, body in zip(pieces[1::2], pieces[2::2], strict=True):
        if not text.startswith(f"# {title}"):
            yield title, body.strip()


def _remove_folds(text: str) -> str:
    return "\n\n".join(block.text for block in blocks(text) if block.kind == "")


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.?!:])\s+(?=[A-Z*“$`\"])", " ".join(text.split()))


def _first_sentences(text: str) -> str:
    """Return the first sentences that fit on a slide, at least one."""
    return " ".join(_fit_on_slide(_sentences(text)))


def _last_sentences(text: str) -> str:
    """Return the last sentences of prose that fit on a slide, or "" if it ends with a list or a formula."""
    last = text.split("\n\n")[-1]
    if not last or re.match(r"[-:$|#]|\d+\. |```", last):
        return ""
    return " ".join(reversed(_fit_on_slide(_sentences(last)[::-1])))


def _fit_on_slide(sentences: Sequence[str]) -> list[str]:
    """Return the first sentences of a list that fit on a slide, at least one."""
    fitting: list[str] = []
    for sentence in sentences:
        if fitting and sum(len(text.split()) for text in [*fitting, sentence]) > MAX_WORDS:
            break
        fitting.append(sentence)
    return fitting


def _to_html(markdown: str) -> str:
    """Return Markdown as HTML, with formulas as MathML."""
    rendered: str = _renderer().render(markdown)
    return rendered.strip()


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    return renderer.use(
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
    converted: str = tex2mathml(tex, as_block=block)
    return converted


def _as_text(text: str | Sequence[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def read_asset(name: str) -> str:
    """Return the content of a file in the folder of this module."""
    return resources.files("reanalyses.course.kit").joinpath(name).read_text(encoding="utf-8")
