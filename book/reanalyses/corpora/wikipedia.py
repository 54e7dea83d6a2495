"""Sentences of the Wikipedia articles that ship inside gensim's wheel."""

from __future__ import annotations

import bz2
import html
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from isotropy_lab._core import checks
from isotropy_lab._core.extras import require
from reanalyses.corpora.prepared import prepared

# One partial dump of the English Wikipedia (about 100 articles, names A–…), used by gensim's own tests.
_DUMP = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"

# Stands where something that belongs to a sentence was taken out, such as a formula; the sentence is then dropped.
_HOLE = "\x00"

_FEWEST_WORDS = 5
_MOST_WORDS = 80

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_REFERENCE = re.compile(r"<ref\b[^<>]*/>|<ref\b[^<>]*>.*?</ref\s*>", re.DOTALL | re.IGNORECASE)
_BLOCK = re.compile(
    r"<(math|chem|code|pre|source|syntaxhighlight|gallery|timeline|imagemap|score|poem|hiero|nowiki|table)\b[^<>]*>"
    r".*?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_SCRIPT = re.compile(r"<(sub|sup)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}")
_TABLE = re.compile(r"\{\|(?:(?!\{\|).)*?\n\s*\|\}", re.DOTALL)
_FILE_LINK = re.compile(
    r"\[\[\s*(?:file|image|media)\s*:[^\[\]]*(?:\[\[?[^\[\]]*\]\]?[^\[\]]*)*\]\]", re.IGNORECASE
)
_OTHER_NAMESPACE = re.compile(r"\[\[\s*(?:category|[a-z]{2,3}(?:-[a-z]+)*)\s*:[^\[\]]*\]\]", re.IGNORECASE)
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_OUTSIDE_LINK = re.compile(r"\[(?:https?|ftp)?:?//[^\s\]]+\s*([^\]]*)\]")
_QUOTE_MARKS = re.compile(r"'{2,5}")

# Templates that add nothing to the text they stand in: notes, sources, maintenance.
_SILENT_TEMPLATE = re.compile(
    r"\s*(?:refn?|sfnp?|sfnm|efn|harvn?b?|harvtxt|harvp|notetag|note|rp|r|cn|fact|fv|citation needed|"
    r"citation|cite\b.*|"
    r"page needed|pages needed|dubious|clarify|clarification needed|who|when|where|which|whom|why|what|how|"
    r"by whom|according to whom|specify|vague|weasel[ -]?inline|pov[ -]?statement|or|full|verify source|"
    r"failed verification|better source|self-published inline|primary source[ -]inline|unreliable source\??|"
    r"dead link|wayback|disambiguation needed|nbsp|spaced ndash|anchor|better source needed|"
    r"update inline|update after|as of\?|not in citation given|quote|request quotation|isbn|doi|sic\|hide.*|"
    r"attribution needed|importance[ -]inline|relevance[ -]inline|inconsistent|contradict[ -]inline|lopsided|"
    r"ref label|cref2?|"
    r"year needed|date|see|zwnj|zwsp|webarchive|subscription required|registration required|in lang|"
    r"main|further|clear|expand section|page number|failed verification|speculation-inline)\s*(?:\||$)",
    re.IGNORECASE | re.DOTALL,
)

# Full stops that end no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Sts|Jr|Sr|Prof|Rev|Hon|Gen|Gov|Lt|Col|Capt|Sgt|Maj|Cmdr|Adm|Brig|Pres|Sen|Rep|"
    r"Mt|Ft|No|Nos|no|nos|Vol|vol|vols|Op|op|pp|ch|ed|eds|Ed|Inc|Ltd|Co|Corp|Bros|vs|cf|ca|approx|esp|fl|Gk|Lat|Ger|lit|"
    r"trans|viz|al|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Ph|Ave|Blvd|Dept|Univ|Fig|fig|Eq|Ch|Art|Sec|bk|Bk|"
    r"Phys|Rev|Lett|Proc|Ann|Acad|Wm|Geo|Thos|Chas|spp|sp|subsp|var)|\b(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(]*[A-Z0-9À-Þ])")
# Left by markup that went wrong, or by what was taken out; "( )", ", ," and the like.
_RESIDUE = re.compile(
    r"[\[\]{}|<>\\=_^~•→]|https?:|www\.|''|&[a-z]+;|\*|#|ISBN|thumb\b|\dpx\b|\( ?[,;)]|,\s*[,;.]|\(\s*\)"
)


def _without_nested(text: str, pattern: re.Pattern[str], replacement: Any) -> str:
    """Replace innermost matches until none is left, so that nested markup goes from the inside out."""
    while True:
        text, count = pattern.subn(replacement, text)
        if not count:
            return text


def plain_text(markup: str) -> str:
    """Wikitext → text, one paragraph, heading or list item per line; formulas, templates and scripts leave a hole."""
    text = html.unescape(html.unescape(markup)).replace(_HOLE, "")
    text = _COMMENT.sub("", text)
    text = _without_nested(text, _TEMPLATE, lambda m: "" if _SILENT_TEMPLATE.match(m[1]) else _HOLE)
    text = _REFERENCE.sub("", text)
    text = _BLOCK.sub(_HOLE, text)
    text = _SCRIPT.sub(_HOLE, text)
    text = _without_nested(text, _TABLE, "\n")
    text = _TAG.sub("", text)
    text = _without_nested(text, _FILE_LINK, "")
    text = _OTHER_NAMESPACE.sub("", text)
    text = _without_nested(text, _LINK, r"\1")
    text = _OUTSIDE_LINK.sub(r"\1", text)
    text = _QUOTE_MARKS.sub("", text)
    text = re.sub(r"[\u00a0\u2000-\u200a\u202f\t]", " ", text)
    return re.sub(r"[\u200b-\u200f\u2060\ufeff\u00ad]", "", text)


def split_sentences(paragraph: str) -> list[str]:
    """Cut a paragraph at ``.``, ``!`` or ``?`` before a capital or a digit, except after initials and abbreviations."""
    sentences: list[str] = []
    start = 0
    for match in _BREAK.finditer(paragraph):
        candidate = paragraph[start : match.start()]
        if not match.group(1) and _ABBREVIATION.search(candidate):
            continue
        sentences.append(paragraph[start : match.end(1)].strip())
        start = match.end()
    sentences.append(paragraph[start:].strip())
    return [sentence for sentence in sentences if sentence]


def _is_clean(sentence: str) -> bool:
    if _HOLE in sentence or _RESIDUE.search(sentence):
        return False
    if not re.match(r"[\"“‘'(]*[A-ZÀ-Þ0-9]", sentence) or not re.search(r"[.!?][\"”’')]*$", sentence):
        return False
    words = sentence.split()
    if not _FEWEST_WORDS <= len(words) <= _MOST_WORDS:
        return False
    if sentence.count("(") != sentence.count(")") or sentence.count('"') % 2:
        return False
    # At least 60 % letters: what is left of tables and lists of figures has less.
    return sum(map(str.isalpha, sentence)) >= 0.6 * len(sentence)


@lru_cache(maxsize=1)
def _all_sentences() -> tuple[str, ...]:
    if (known := prepared("wikipedia")) is not None:
        return tuple(known)
    wikicorpus = require("gensim.corpora.wikicorpus", "wikipedia_sentences()")
    dump = Path(wikicorpus.__file__).parents[1] / _DUMP
    if not dump.is_file():
        raise FileNotFoundError(
            f"wikipedia_sentences(): gensim's test data hold no file {dump.name}; the wheels of gensim "
            "4.3 and 4.4 ship it, a distribution's package may not: "
            "`python -m pip install --force-reinstall --no-deps gensim`"
        )
    kept: dict[str, None] = {}  # a dict keeps the order and drops repeats
    with bz2.open(dump) as stream:
        for title, markup, _ in wikicorpus.extract_pages(stream, ["0"]):
            if title.startswith("Wikipedia:") or re.match(r"\s*#redirect", markup or "", re.IGNORECASE):
                continue
            for line in plain_text(markup).split("\n"):
                paragraph = " ".join(line.split(" ")).strip()
                # Headings, list items, indented notes and table rows are not running text.
                if not paragraph or paragraph[0] in "=*#:;|!{}-":
                    continue
                paragraph = re.sub(r"\s+([,.;:!?])(?=\s|$)", r"\1", re.sub(r" {2,}", " ", paragraph))
                kept.update(dict.fromkeys(filter(_is_clean, split_sentences(paragraph))))
    return tuple(kept)


def wikipedia_sentences(*, n: int | None = None, rng: np.random.Generator | int | None = 0) -> list[str]:
    """Sentences of English Wikipedia articles, cleaned and each once, without any download.

    From a partial dump with 106 articles (*Anarchism* to *Algorithm*) in gensim's wheel. Sentences are running text
    of 5 to 80 words that ends with ``.``, ``!`` or ``?`` and from which no formula or other template had to be taken.

    Parameters
    ----------
    n : int, optional
        How many sentences to draw, without replacement; None for all of them.
    rng : numpy.random.Generator or int or None, default 0
        Which ones are drawn. With one seed, a smaller draw is part of a larger one.

    Returns
    -------
    list of str
        In the order of the articles. The first call takes a few seconds.

    Raises
    ------
    ImportError, FileNotFoundError
        gensim (extra ``text``) or its test data are not installed.
    ValueError, TypeError
        `n` is not an integer from 1 to the number of sentences.

    Notes
    -----
    By the contributors of Wikipedia, CC BY-SA (3.0 at the date of the dump, about 2015); read from gensim's copy.

    Examples
    --------
    >>> sentences = wikipedia_sentences(n=100)
    >>> len(sentences), len(set(sentences))
    (100, 100)
    """
    sentences = _all_sentences()
    if n is None:
        return list(sentences)
    n = checks.check_integer(n, "n", low=1, high=len(sentences), why="the number of sentences")
    chosen = np.sort(np.random.default_rng(rng).permutation(len(sentences))[:n])
    return [sentences[i] for i in chosen]
