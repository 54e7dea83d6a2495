"""Create the texts of `reanalyses.corpora`: ``python scripts/make_corpora.py`` (needs pyang and gensim).

Definitions come from the YANG modules in pyang's wheel, sentences from the Wikipedia articles in gensim's
wheel. Other releases of these packages would give other texts, and so change the book's numbers. Therefore,
existing files are replaced only with --renew.
"""

import bz2
import csv
import gzip
import hashlib
import html
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from gensim.corpora import wikicorpus
from pyang import context, repository
from pyang import yang_parser as parser

DATA = Path(__file__).resolve().parents[1] / "book" / "reanalyses" / "corpora" / "data"

# --- Wikipedia ----------------------------------------------------------------------------------------------

# One partial dump of the English Wikipedia (about 100 articles, names A–…), used by gensim's own tests.
_DUMP = "test/test_data/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"

# Placeholder for removed parts of a sentence, such as a formula; the sentence is then removed.
_REMOVED = "\x00"

_MIN_WORDS = 5
_MAX_WORDS = 80

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

# Templates that add nothing to the surrounding text: notes, sources, and maintenance.
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

# Periods that do not end a sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Sts|Jr|Sr|Prof|Rev|Hon|Gen|Gov|Lt|Col|Capt|Sgt|Maj|Cmdr|Adm|Brig|Pres|Sen|Rep|"
    r"Mt|Ft|No|Nos|no|nos|Vol|vol|vols|Op|op|pp|ch|ed|eds|Ed|Inc|Ltd|Co|Corp|Bros|vs|cf|ca|approx|esp|fl|Gk|Lat|Ger|lit|"
    r"trans|viz|al|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Ph|Ave|Blvd|Dept|Univ|Fig|fig|Eq|Ch|Art|Sec|bk|Bk|"
    r"Phys|Rev|Lett|Proc|Ann|Acad|Wm|Geo|Thos|Chas|spp|sp|subsp|var)|\b(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_BREAK = re.compile(r"(?<=[.!?])([\"'”’)\]]*)\s+(?=[\"'“‘(]*[A-Z0-9À-Þ])")
# Remains of faulty markup or of removed parts, such as "( )" and ", ,".
_RESIDUE = re.compile(
    r"[\[\]{}|<>\\=_^~•→]|https?:|www\.|''|&[a-z]+;|\*|#|ISBN|thumb\b|\dpx\b|\( ?[,;)]|,\s*[,;.]|\(\s*\)"
)


def _replace_nested(text: str, pattern: re.Pattern[str], replacement: Any) -> str:
    """Replace innermost matches until none remains, so that nested markup is removed from the inside out."""
    while True:
        text, count = pattern.subn(replacement, text)
        if not count:
            return text


def plain_text(markup: str) -> str:
    """Return Wikitext as text: one paragraph, heading, or list item per line, placeholders for formulas."""
    text = html.unescape(html.unescape(markup)).replace(_REMOVED, "")
    text = _COMMENT.sub("", text)
    text = _replace_nested(text, _TEMPLATE, lambda m: "" if _SILENT_TEMPLATE.match(m[1]) else _REMOVED)
    text = _REFERENCE.sub("", text)
    text = _BLOCK.sub(_REMOVED, text)
    text = _SCRIPT.sub(_REMOVED, text)
    text = _replace_nested(text, _TABLE, "\n")
    text = _TAG.sub("", text)
    text = _replace_nested(text, _FILE_LINK, "")
    text = _OTHER_NAMESPACE.sub("", text)
    text = _replace_nested(text, _LINK, r"\1")
    text = _OUTSIDE_LINK.sub(r"\1", text)
    text = _QUOTE_MARKS.sub("", text)
    text = re.sub(r"[\u00a0\u2000-\u200a\u202f\t]", " ", text)
    return re.sub(r"[\u200b-\u200f\u2060\ufeff\u00ad]", "", text)


def split_sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences, except after initials and abbreviations."""
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
    if _REMOVED in sentence or _RESIDUE.search(sentence):
        return False
    if not re.match(r"[\"“‘'(]*[A-ZÀ-Þ0-9]", sentence) or not re.search(r"[.!?][\"”’')]*$", sentence):
        return False
    words = sentence.split()
    if not _MIN_WORDS <= len(words) <= _MAX_WORDS:
        return False
    if sentence.count("(") != sentence.count(")") or sentence.count('"') % 2:
        return False
    # At least 60% letters; remains of tables and lists of numbers have fewer.
    return sum(map(str.isalpha, sentence)) >= 0.6 * len(sentence)


def wikipedia_sentences() -> list[str]:
    """Return the distinct clean sentences of the articles in order."""
    dump = Path(wikicorpus.__file__).parents[1] / _DUMP
    sentences: dict[str, None] = {}  # a dict keeps the order and removes duplicates
    with bz2.open(dump) as stream:
        for title, markup, _ in wikicorpus.extract_pages(stream, ["0"]):
            if title.startswith("Wikipedia:") or re.match(r"\s*#redirect", markup or "", re.IGNORECASE):
                continue
            for line in plain_text(markup).split("\n"):
                paragraph = " ".join(line.split(" ")).strip()
                # Headings, list items, indented notes, and table rows are not running text.
                if not paragraph or paragraph[0] in "=*#:;|!{}-":
                    continue
                paragraph = re.sub(r"\s+([,.;:!?])(?=\s|$)", r"\1", re.sub(r" {2,}", " ", paragraph))
                sentences.update(dict.fromkeys(filter(_is_clean, split_sentences(paragraph))))
    return list(sentences)


# --- YANG ---------------------------------------------------------------------------------------------------

# Statements that define something with a name; a module's description mentions only its license.
_KIND_WORDS = """
action anydata anyxml bit case choice container enum extension feature grouping identity leaf leaf-list list
notification rpc typedef
"""
_KINDS = frozenset(_KIND_WORDS.split())
_COLUMNS = ["module", "node", "kind", "sentence"]
_UNNAMED_STEPS = frozenset({"input", "output"})  # parts of an RPC or action that occur in a schema path

_MIN_DEFINING = 6
_MAX_DEFINING = 45

# A line that begins like this belongs to a list:
# "- text", "o  text", "* text", "1. text", "2) text", "true - text".
_LIST_ITEM = re.compile(r"\s*(?:[-*•]\s|o\s{1,3}\S|\(?\d{1,2}[.)]\s|[\w']+\s+-\s)")
# A line break after a hyphen or slash, as in "service-affecting" but not in "pre- and postfix".
_BROKEN_WORD = re.compile(r"(?<=[A-Za-z0-9][-/])\s*\n\s*(?=(?!and\b|or\b)[A-Za-z0-9])")
_RFC = r"(?:\[?RFC ?\d+\]?(?:,? Sections? [\d.]+)?|Sections? [\d.]+ of \[?RFC ?\d+\]?)"
_REFERENCE_TAIL = re.compile(
    rf"\s*(?:,?\s+(?:as )?(?:defined|specified|described|documented) (?:in|by) {_RFC}|,?\s+(?:as )?per {_RFC}"
    rf"|\((?:see )?{_RFC}(?:[,;]? (?:and )?{_RFC})*\)|\[RFC ?\d+\])\s*(?=\.?$)"
)
_WITHDRAWN = re.compile(
    r"(?i:(?:this [\w-]+ is |\w+ )?(?:obsoleted?|deprecated|superseded)\b)|.*\b(?:OBSOLETED?|DEPRECATED)\b"
)
_WORD = re.compile(r"[a-z0-9]+")

# Words without content, and words by which a definition names its own statement ("The list of").
_FRAME_WORDS = """
a all an and are as at be been by can each for from has have if in is it its may more no not of on one or
other per set that the their these this those to used using when where whether which will with
action associated attribute base case choice collection configuration configure configured contain container
corresponding current data define definition describe description element entry enable feature field generic
given grouping group identification identified identifier identify identity indicate indication information
instance kind leaf list main mode model module name node notification number object option parameter parent
particular present presence property provide reference related represent representing specific specified
specify state statement structure support supported top level type value
"""


class _Definition(NamedTuple):
    module: str
    node: str
    kind: str
    description: str


def _stem(word: str) -> str:
    """Return an approximate base form, so that "defines", "defined", and "define" count as one word."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending, min_length in (("ing", 7), ("es", 6), ("ed", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= min_length and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


_FRAME_STEMS = frozenset(map(_stem, _FRAME_WORDS.split()))


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _name_stems(name: str) -> set[str]:
    """Return the words of an identifier: "linkDown-trap2" is link, down, and trap2."""
    return set(_stems(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("-", " ")))


def first_sentence(description: str) -> str:
    """Return the first sentence of a description's first paragraph, without a list and a closing citation."""
    lines: list[str] = []
    for line in description.strip().splitlines():
        if not line.strip() or (lines and _LIST_ITEM.match(line)):
            break
        lines.append(line)
    text = _BROKEN_WORD.sub("", "\n".join(lines))
    sentences = split_sentences(" ".join(text.split()))
    if not sentences:
        return ""
    sentence = _REFERENCE_TAIL.sub("", sentences[0]).strip()
    for mark in "\"'":
        if len(sentence) > 2 and sentence[0] == sentence[-1] == mark and sentence.count(mark) == 2:
            sentence = sentence[1:-1].strip()
    return sentence if sentence[-1:] in (".", ":", "?", "!", ";", ",") else f"{sentence}."


def omission_rule(sentence: str, name: str) -> str | None:
    """Return the rule by which a sentence is omitted, or None if it is kept."""
    if not sentence.endswith(".") or sentence.count("(") != sentence.count(")"):
        return "incomplete"
    if _WITHDRAWN.match(sentence):
        return "withdrawn"
    if len(sentence.split()) < _MIN_DEFINING:
        return "short"
    if len(sentence.split()) > _MAX_DEFINING:
        return "long"
    name_stems = _name_stems(name)
    if all(stem in _FRAME_STEMS or stem in name_stems for stem in _stems(sentence)):
        return "empty"
    return None


def _walk(statement: Any, module: str, path: tuple[str, ...]) -> Iterator[_Definition]:
    """Yield every named definition below a statement, with or without a description, in file order."""
    for child in statement.substmts:
        child_path = path
        if child.keyword in _KINDS:
            child_path = (*path, child.arg)
            description = child.search_one("description")
            yield _Definition(
                module, "/".join(child_path), child.keyword, "" if description is None else description.arg
            )
        elif child.keyword == "augment":
            child_path = (*path, *(step.rpartition(":")[2] for step in child.arg.split("/") if step))
        elif child.keyword in _UNNAMED_STEPS:
            child_path = (*path, child.keyword)
        yield from _walk(child, module, child_path)


def _module_files() -> list[Path]:
    distribution = metadata.distribution("pyang")
    files = [
        Path(str(distribution.locate_file(file))).resolve()
        for file in distribution.files or ()
        if file.name.endswith(".yang")
    ]
    return sorted((file for file in files if file.is_file()), key=lambda file: file.name)


def _read(file: Path) -> list[_Definition]:
    # There is no search path: one file is parsed at a time, and its imports are not searched for.
    state = context.Context(repository.FileRepository("", use_env=False))
    try:
        tree = parser.YangParser().parse(state, file.name, file.read_text(encoding="utf-8"))
    except (IndexError, UnicodeDecodeError):  # pyang reads past the end of a text cut within a word
        tree = None
    if tree is None:
        raise ValueError(f"{file.name} cannot be parsed")
    return list(_walk(tree, tree.arg, ()))


def _add_kinds(definitions: list[_Definition]) -> list[_Definition]:
    """Add the kind to definitions of one module that share a path, such as a feature and an identity."""
    shared = Counter((d.module, d.node) for d in definitions)
    seen: Counter[tuple[str, str, str]] = Counter()
    unique = []
    for d in definitions:
        if shared[d.module, d.node] > 1:
            seen[d.module, d.node, d.kind] += 1
            number = seen[d.module, d.node, d.kind]
            d = d._replace(node=f"{d.node} ({d.kind}{f' {number}' if number > 1 else ''})")
        unique.append(d)
    return unique


def yang_definitions() -> pd.DataFrame:
    """Return the definitions whose sentence can be understood by itself."""
    definitions = _add_kinds([definition for file in _module_files() for definition in _read(file)])
    rows: list[tuple[str, str, str, str]] = []
    known: set[str] = set()
    for d in sorted(definitions, key=lambda d: d.module):  # stable: keeps the file order within a module
        if not d.description.strip():
            continue
        sentence = first_sentence(d.description)
        # Sentences that differ only in capitalization or punctuation count as one sentence.
        key = " ".join(_WORD.findall(sentence.lower()))
        if key not in known and omission_rule(sentence, d.node.partition(" (")[0].rpartition("/")[2]) is None:
            known.add(key)
            rows.append((d.module, d.node, d.kind, sentence))
    return pd.DataFrame(rows, columns=_COLUMNS)


# --- files --------------------------------------------------------------------------------------------------


def write(name: str, text: str, *, renew: bool) -> None:
    """Print whether a text differs from the stored one; with `renew`, replace it and update its record."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as stream:
        stream.write(text.encode("utf-8"))
    path, record_path = DATA / name, DATA / f"{name.partition('.')[0]}.json"
    is_unchanged = gzip.decompress(path.read_bytes()) == text.encode("utf-8")
    print(f"{name}: {'unchanged' if is_unchanged else 'differs'}")
    if renew and not is_unchanged:
        path.write_bytes(packed.getvalue())
        record = json.loads(record_path.read_text(encoding="utf-8"))
        record |= {"made": date.today().isoformat()}
        record |= {"sha256": hashlib.sha256(packed.getvalue()).hexdigest()}
        record |= {"version": ", ".join(f"{name} {metadata.version(name)}" for name in ("pyang", "gensim"))}
        record_path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    """Compare both texts with the stored ones, and replace these with ``--renew``."""
    renew = sys.argv[1:] == ["--renew"]
    table = yang_definitions().to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
    write("yang-definitions.csv.gz", table, renew=renew)
    write(
        "wikipedia-sentences.txt.gz",
        "".join(f"{sentence}\n" for sentence in wikipedia_sentences()),
        renew=renew,
    )


if __name__ == "__main__":
    main()
