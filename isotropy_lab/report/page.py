"""The card as one page of HTML."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape

from isotropy_lab.report.drawing import number
from isotropy_lab.report.meanings import CHAPTERS, MEANINGS, chapter_address
from isotropy_lab.report.parts import Caution, Content, Figure, Line, Section, Table, Value

_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--quiet:#57606a;--line:#d5dae0;--accent:#0b5cad;--panel:#f5f7f9;--warn:#8a4b00;--warnground:#fff6e5;--warnline:#d9a441}
@media (prefers-color-scheme:dark){:root{--ground:#14171b;--text:#e6e9ed;--quiet:#a3adb8;--line:#363d46;--accent:#6cb2f7;--panel:#1c2127;--warn:#ffce7a;--warnground:#2b2311;--warnline:#8a6a26}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main,header,footer{max-width:54rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;margin:2.4rem 0 .6rem;padding-top:.9rem;border-top:1px solid var(--line)}
h3{font-size:1.05rem;margin:1.6rem 0 .4rem}
p{margin:.5rem 0}
.quiet{color:var(--quiet);font-size:.92rem}
a{color:var(--accent)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;margin:.8rem 0 0;padding:0}
.summary{font-size:1.08rem}
.cautions{list-style:none;margin:.6rem 0;padding:0}
.cautions li{background:var(--warnground);border-left:4px solid var(--warnline);padding:.55rem .8rem;margin:.5rem 0}
.cautions strong{color:var(--warn)}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
p.caption{font-weight:600;margin:1rem 0 .2rem}
th,td{padding:.45rem .6rem;text-align:right;vertical-align:top;border-bottom:1px solid var(--line);font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left;padding-left:0}
th:last-child,td:last-child{padding-right:0}
thead th{color:var(--quiet);font-size:.88rem;font-weight:600;vertical-align:bottom}
tbody th{font-weight:600}
tbody th span{display:block;font-weight:400;color:var(--quiet);font-size:.9rem;max-width:34rem}
td.value{font-weight:600;white-space:nowrap}
td.range{white-space:nowrap}
figure{margin:1rem 0}
svg{width:100%;height:auto;display:block;background:var(--panel);border-radius:6px}
svg text{fill:var(--text);font:14px system-ui,sans-serif}
svg .tag{fill:var(--quiet)}
svg .rule{stroke:var(--line);stroke-width:1}
svg .curve{fill:none;stroke:var(--accent);stroke-width:2.5;stroke-linejoin:round}
svg .even{fill:none;stroke:var(--quiet);stroke-width:2;stroke-dasharray:7 5}
svg .mark{fill:var(--accent)}
svg .cell{fill:var(--text)}
figcaption{color:var(--quiet);font-size:.92rem;margin-top:.4rem}
footer{padding-bottom:2.5rem;margin-top:2.5rem;color:var(--quiet);font-size:.88rem}
@media (max-width:34rem){body{font-size:15px}main,header,footer{padding-left:.9rem;padding-right:.9rem}th,td{padding:.4rem .35rem}td.value,td.range{white-space:normal;max-width:5.8rem}tbody th{min-width:9.5rem}svg text{font-size:20px}}
@media print{body{background:#fff;color:#000}}
"""


def page(card: Content) -> str:
    """Return a card as HTML that needs nothing else."""
    # Only "<" could end the script early.
    embedded = json.dumps(card.to_dict(), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    entries = "".join(
        f'<li><a href="#{escape(section.key)}">{escape(section.title)}</a></li>' for section in card.sections
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(card.name)}: report card</title><style>{_STYLE}</style></head>\n<body>",
        f"<header><h1>{escape(card.name)}</h1>",
        f'<p class="quiet">Report card by {escape(card.program)}</p>',
        f'<nav aria-label="Sections"><ul>{entries}</ul></nav></header>',
        '\n<main><section aria-labelledby="summary"><h2 id="summary">In short</h2>',
        *(f'<p class="summary">{escape(sentence)}</p>' for sentence in card.summary),
        _cautions(card.cautions),
        "</section>",
        *(_section(section) for section in card.sections),
        "</main>\n<footer>",
        f"<p>{escape(_settings(card.options))}</p>",
        f"<p>{escape(_where())}</p>",
        "</footer>\n",
        f'<script type="application/json" id="numbers">{embedded}</script>',
        "</body></html>\n",
    ]
    return "".join(parts)


def _settings(options: Mapping[str, Value]) -> str:
    shown = "; ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {_cell(value)}"
        for name, value in options.items()
        if value is not None
    )
    return f"Settings: {shown}. The same rows and settings give the same card."


def _where() -> str:
    address = chapter_address("report/your-own-vectors")
    if address is None:
        return "The lessons named are those of the book Isotropy Lab; no public address is declared for this copy of it."
    if "/blob/" in address:
        return "The book has no public site yet: links go to the lessons' notebooks in its repository."
    return "Links go to the lessons of the book Isotropy Lab."


def _cautions(cautions: Sequence[Caution]) -> str:
    if not cautions:
        return "<p>Nothing was found that would make these numbers mislead.</p>"
    items = "".join(
        f"<li><strong>Beware:</strong> {escape(caution.text)} {_link(caution.chapter)}</li>"
        for caution in cautions
    )
    return f'<ul class="cautions" aria-label="Warnings">{items}</ul>'


def _link(chapter: str) -> str:
    if not chapter:
        return ""
    title = escape(CHAPTERS[chapter])
    address = chapter_address(chapter)
    return f"({title})" if address is None else f'<a href="{escape(address)}" target="_top">{title}</a>'


def _section(section: Section) -> str:
    key = escape(section.key)
    return "".join(
        [
            f'\n<section aria-labelledby="{key}"><h2 id="{key}">{escape(section.title)}</h2>',
            _lines(section.lines),
            *(_figure(figure) for figure in section.figures),
            *(_table(table) for table in section.tables),
            *(f'<p class="quiet">{escape(note)}</p>' for note in section.notes),
            "</section>",
        ]
    )


def _lines(lines: Sequence[Line]) -> str:
    if not lines:
        return ""
    with_range = any(line.low is not None for line in lines)
    head = '<th scope="col">Measure</th><th scope="col">Value</th>' + (
        '<th scope="col">Interval</th>' if with_range else ""
    )
    body = "".join(_line(line, with_range) for line in lines)
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _line(line: Line, with_range: bool) -> str:
    meaning = MEANINGS[line.key]
    about = f"{escape(meaning.sentence)} {escape(line.note)} {_link(meaning.chapter)}"
    value = "undefined" if line.value is None else _cell(line.value)
    cells = f'<td class="value">{value}</td>'
    if with_range:
        shown = "" if line.low is None or line.high is None else f"{_cell(line.low)} to {_cell(line.high)}"
        cells += f'<td class="range">{shown}</td>'
    return f'<tr><th scope="row">{escape(meaning.label)}<span>{about}</span></th>{cells}</tr>'


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in table.columns)
    rows = "".join(
        f'<tr><th scope="row">{_cell(row[0])}</th>{"".join(f"<td>{_cell(cell)}</td>" for cell in row[1:])}</tr>'
        for row in table.rows
    )
    return (
        f'<p class="caption">{escape(table.title)}</p>'  # outside of what scrolls, so that all of it can be read
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(table.title)}"><table aria-label="{escape(table.title)}">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _figure(figure: Figure) -> str:
    return f"<h3>{escape(figure.title)}</h3><figure>{figure.svg}<figcaption>{escape(figure.alt)}</figcaption></figure>"


def _cell(value: Value) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return escape(value) if isinstance(value, str) else number(value)
