"""The card as a single HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import TYPE_CHECKING

from isotropy_report.card.meanings import ADVICE, CHAPTERS, MEANINGS, WARNINGS, chapter_address
from isotropy_report.card.parts import Caution, Figure, Line, Section, Table, Value
from isotropy_report.card.words import number, range_of, value_of

if TYPE_CHECKING:
    from isotropy_report.card.card import Page


def page(card: Page) -> str:
    """Return a card as a self-contained HTML page that begins with the galleries."""
    style = (resources.files(__package__) / "card.css").read_text(encoding="utf-8").rstrip("\n")
    # Only a "<" could close the script element early.
    embedded = json.dumps(card.to_dict(), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    galleries = [section for section in card.sections if section.gallery]
    others = [section for section in card.sections if not section.gallery]
    warnings = [Section("warnings", "Warnings")] if card.cautions else []
    entries = "".join(
        f'<li><a href="#{escape(section.key)}">{escape(section.title)}</a></li>'
        for section in (*galleries, *warnings, *others)
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(card.name)}: "
        f"{escape(card.KIND.lower())}</title><style>\n{style}</style></head>\n<body>",
        f"<header><h1>{f'{card.KIND}: ' * bool(card.JSON_KIND)}{escape(card.name)}</h1></header>",
        '\n<main><section class="first" aria-labelledby="summary"><h2 id="summary" class="unseen">In '
        "short</h2>",
        *(f'<p class="summary">{escape(sentence)}</p>' for sentence in card.summary),
        _warning_list(card),
        f'<nav aria-label="Sections"><ul>{entries}</ul></nav>',
        "</section>",
        *map(_section, galleries),
        _cautions(card.cautions),
        *map(_section, others),
        "</main>\n<footer>",
        f"<p>{escape(card.KIND)} by {escape(card.program)}. {escape(_settings(card.options))}</p>",
        f"<p>{escape(_link_note())}</p>" if card.CHECKS_WARNINGS else "",
        "</footer>\n",
        f'<script type="application/json" id="numbers">{embedded}</script></body></html>\n',
    ]
    return "".join(parts)


def _settings(options: Mapping[str, Value]) -> str:
    listing = "; ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {_cell(value)}"
        for name, value in options.items()
        if value is not None
    )
    return f"Settings: {listing}. The same rows and settings give the same page."


def _link_note() -> str:
    address = chapter_address("report/your-own-vectors")
    if address is None:
        return "The lessons are those of the book Isotropy Lab; this copy of it declares no public address."
    if "/blob/" in address:
        return "The book has no public site yet: links go to the lessons' notebooks in its repository."
    return "Links go to the lessons of the book Isotropy Lab."


def _warning_list(card: Page) -> str:
    """Return a short form of each kind of warning, linked to the full warning."""
    kinds = dict.fromkeys(caution.key for caution in card.cautions)
    if not kinds:
        if not card.CHECKS_WARNINGS or any("too narrow" in sentence for sentence in card.summary):
            return ""
        text = "The numbers show no reason why they would mislead; related rows are not detected."
        return f'<p class="quiet">{text}</p>'
    texts = [f"{WARNINGS[kind]}: {ADVICE[kind]}" if kind in ADVICE else WARNINGS[kind] for kind in kinds]
    items = "".join(f'<li><a href="#warnings">{escape(text)}</a></li>' for text in texts)
    return f'<ul class="beware" aria-label="Warnings in short"><li><span>Beware:</span></li>{items}</ul>'


def _cautions(cautions: Sequence[Caution]) -> str:
    if not cautions:
        return ""
    items = "".join(
        f"<li><strong>Beware:</strong> {escape(caution.text)} {_link(caution.chapter)}</li>"
        for caution in cautions
    )
    return (
        '\n<section aria-labelledby="warnings"><h2 id="warnings">Warnings</h2>'
        f'<ul class="cautions" aria-label="Warnings">{items}</ul></section>'
    )


def _link(chapter: str) -> str:
    if not chapter:
        return ""
    title = escape(CHAPTERS[chapter])
    address = chapter_address(chapter)
    return f"({title})" if address is None else f'<a href="{escape(address)}" target="_top">{title}</a>'


def _section(section: Section) -> str:
    key = escape(section.key)
    head = f'<h2 id="{key}-title">{escape(section.title)}</h2>'
    figures = "".join(map(_figure, section.figures))
    notes = "".join(f'<p class="quiet">{escape(note)}</p>' for note in section.notes)
    if section.gallery:
        body = f'<div class="gallery" id="{key}">{figures}</div>{notes}'
    else:
        tables = "".join(map(_table, section.tables))
        body = f'<div class="tables" id="{key}">{_lines(section.lines)}{figures}{tables}{notes}</div>'
    if section.folded or not section.gallery:
        body = f"<details{' open' * (not section.folded)}><summary>{head}</summary>{body}</details>"
    else:
        body = head + body
    return f'\n<section aria-labelledby="{key}-title">{body}</section>'


def _lines(lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    with_range = any(line.low is not None for line in lines)
    columns = ("Measure", "Value", "Interval") if with_range else ("Measure", "Value")
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = "".join(_line(line, with_range) for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _line(line: Line, with_range: bool) -> str:
    meaning = MEANINGS[line.key]
    description = f"{escape(meaning.sentence)} {escape(line.note)} {_link(meaning.chapter)}"
    cells = f'<td class="value">{escape(value_of(line))}</td>'
    if with_range:
        cells += f'<td class="range">{range_of(line)}</td>'
    return f'<tr><th scope="row">{escape(meaning.label)}<span>{description}</span></th>{cells}</tr>'


def _table(table: Table) -> str:
    columns, *body_rows = table.displayed_rows()
    head = "".join(f'<th scope="col">{_cell(column)}</th>' for column in columns)
    rows = ""
    for first, *others in body_rows:
        cells = (f"<td>{_cell(cell, name)}</td>" for cell, name in zip(others, columns[1:], strict=True))
        rows += f'<tr><th scope="row">{_cell(first)}</th>{"".join(cells)}</tr>'
    return (
        # The caption is outside the scrolling area, so that it remains visible.
        f'<p class="caption">{escape(table.title)}</p>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}"><table '
        f'aria-label="{escape(table.title)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _figure(figure: Figure) -> str:
    caption = figure.caption or figure.alt
    head = f"<h3>{escape(figure.title)}</h3>"
    return f"<figure>{head}{figure.svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _cell(value: Value, column: Value = "") -> str:
    if value is None:
        return "–"
    if column in ("p", "p (Holm)", "p, corrected") and float(value) < 1e-4:
        return "&lt; 0.0001"
    if column in ("threshold", "margin"):  # all digits, so that it can be copied
        return str(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(value) if isinstance(value, str) else number(value)
