"""Definition sentences of the YANG modules that ship inside pyang's wheel: text of one technical domain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from isotropy_lab._core.extras import require
from reanalyses.corpora.prepared import prepared
from reanalyses.corpora.wikipedia import split_sentences

# Statements that define something with a name; the description of a module is about the document and its license.
_KIND_WORDS = """
action anydata anyxml bit case choice container enum extension feature grouping identity leaf leaf-list list
notification rpc typedef
"""
_KINDS = frozenset(_KIND_WORDS.split())
_COLUMNS = ["module", "node", "kind", "sentence"]
_UNNAMED_STEPS = frozenset({"input", "output"})  # parts of an rpc or action that stand in a schema path

_FEWEST_WORDS = 6
_MOST_WORDS = 45

# A line that begins like this belongs to a list: "- text", "o  text", "* text", "1. text", "2) text", "true - text".
_LIST_ITEM = re.compile(r"\s*(?:[-*•]\s|o\s{1,3}\S|\(?\d{1,2}[.)]\s|[\w']+\s+-\s)")
# The break after a hyphen or slash at a line's end, inside "service-affecting"; not in "pre- and postfix".
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

# Words without content of their own, and those with which a definition names its own statement ("The list of").
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
    """Rough singular and base form: "defines", "defined" and "define" count as one word."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending, least in (("ing", 7), ("es", 6), ("ed", 6), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            return word[: -len(ending)].rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word


_FRAME_STEMS = frozenset(map(_stem, _FRAME_WORDS.split()))


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text.lower())]


def _name_stems(name: str) -> set[str]:
    """Words of an identifier: "linkDown-trap2" is link, down and trap2."""
    return set(_stems(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("-", " ")))


def first_sentence(description: str) -> str:
    """The first sentence of a description's first paragraph, without its list and without a closing citation."""
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


def refusal(sentence: str, name: str) -> str | None:
    """Which rule leaves a sentence out; None if it stays."""
    if not sentence.endswith(".") or sentence.count("(") != sentence.count(")"):
        return "incomplete"
    if _WITHDRAWN.match(sentence):
        return "withdrawn"
    if len(sentence.split()) < _FEWEST_WORDS:
        return "short"
    if len(sentence.split()) > _MOST_WORDS:
        return "long"
    own = _name_stems(name)
    if all(stem in _FRAME_STEMS or stem in own for stem in _stems(sentence)):
        return "empty"
    return None


def _walk(statement: Any, module: str, path: tuple[str, ...]) -> Iterator[_Definition]:
    """Every named definition below a statement, with or without a description, in the order of the file."""
    for child in statement.substmts:
        below = path
        if child.keyword in _KINDS:
            below = (*path, child.arg)
            description = child.search_one("description")
            yield _Definition(
                module, "/".join(below), child.keyword, "" if description is None else description.arg
            )
        elif child.keyword == "augment":
            below = (*path, *(step.rpartition(":")[2] for step in child.arg.split("/") if step))
        elif child.keyword in _UNNAMED_STEPS:
            below = (*path, child.keyword)
        yield from _walk(child, module, below)


def _module_files() -> list[Path]:
    distribution = metadata.distribution("pyang")
    files = [
        Path(str(distribution.locate_file(file))).resolve()
        for file in distribution.files or ()
        if file.name.endswith(".yang")
    ]
    found = sorted((file for file in files if file.is_file()), key=lambda file: file.name)
    if not found:
        raise FileNotFoundError(
            "yang_definitions(): this pyang was installed without its YANG modules; the wheels of pyang 2.6 and 2.7 "
            "ship them, a distribution's package may not: "
            "`python -m pip install --force-reinstall --no-deps pyang`"
        )
    return found


def _read(file: Path) -> list[_Definition]:
    context, repository, parser = (
        require(f"pyang.{part}", "yang_definitions()") for part in ("context", "repository", "yang_parser")
    )
    # No search path: one file is parsed at a time, and nothing that it imports is looked for.
    state = context.Context(repository.FileRepository("", use_env=False))
    try:
        tree = parser.YangParser().parse(state, file.name, file.read_text(encoding="utf-8"))
    except (IndexError, UnicodeDecodeError):  # pyang runs over the end of a text that is cut off in a word
        tree = None
    if tree is None:
        raise ValueError(
            f"yang_definitions(): {file.name} cannot be parsed; expected a YANG module as pyang ships it: "
            "`python -m pip install --force-reinstall --no-deps pyang`"
        )
    return list(_walk(tree, tree.arg, ()))


def _named_apart(definitions: list[_Definition]) -> list[_Definition]:
    """Give definitions of one module that share a path (a feature and an identity, say) their kind as well."""
    shared = Counter((d.module, d.node) for d in definitions)
    seen: Counter[tuple[str, str, str]] = Counter()
    apart = []
    for d in definitions:
        if shared[d.module, d.node] > 1:
            seen[d.module, d.node, d.kind] += 1
            again = seen[d.module, d.node, d.kind]
            d = d._replace(node=f"{d.node} ({d.kind}{f' {again}' if again > 1 else ''})")
        apart.append(d)
    return apart


@lru_cache(maxsize=1)
def _all_definitions() -> pd.DataFrame:
    if (stored := prepared("yang")) is not None:
        table = pd.DataFrame(stored["rows"], columns=_COLUMNS)
        table.attrs = {"pyang": stored["pyang"]}
        return table
    require("pyang", "yang_definitions()")
    definitions = _named_apart([definition for file in _module_files() for definition in _read(file)])
    rows: list[tuple[str, str, str, str]] = []
    known: set[str] = set()
    for d in sorted(definitions, key=lambda d: d.module):  # stable: within a module, the order of the file
        if not d.description.strip():
            continue
        sentence = first_sentence(d.description)
        # Sentences that differ only in capitals or punctuation are one sentence.
        key = " ".join(_WORD.findall(sentence.lower()))
        if key not in known and refusal(sentence, d.node.partition(" (")[0].rpartition("/")[2]) is None:
            known.add(key)
            rows.append((d.module, d.node, d.kind, sentence))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table.attrs = {"pyang": metadata.version("pyang")}
    return table


def yang_definitions() -> pd.DataFrame:
    """Definitions of the YANG modules that ship in pyang: module, node, kind and one sentence each.

    YANG is the language in which the IETF and IANA write data models of network management. Statements that define
    something may carry a description, whose first sentence says in plain technical English what the thing is.

    Returns
    -------
    pandas.DataFrame
        One row per definition, by module and in the order of its file; (`module`, `node`) and `sentence` are unique.

        - ``module``: name of the module or submodule, such as ``ietf-interfaces``.
        - ``node``: path of names from the top of the module, ``interfaces/interface/admin-status/up``, with the kind
          appended where two definitions would share it: ``timezone-name (feature)``.
        - ``kind``: the YANG statement, such as container, leaf, enum or identity.
        - ``sentence``: 6 to 45 words, closed by a full stop.

        ``attrs["pyang"]`` is the version of pyang.

    Raises
    ------
    ImportError, FileNotFoundError, ValueError
        pyang (extra ``text``) or its YANG modules are not installed, or a module is damaged.

    Notes
    -----
    The sentence is the first of the description, without a closing citation of an RFC or quotation marks around it.
    Left out are incomplete sentences (that lead to a list, ask, or have an unpaired parenthesis), those that say that
    the thing is obsolete, deprecated or superseded, those that add no word to its name and kind, and those with the
    same letters and digits as an earlier row.

    With pyang 2.7.1, 2,288 of 4,289 descriptions from 69 of 73 modules stay; a release with other modules gives other rows. The modules are
    by the IETF and IANA (70 of the 73 state Simplified BSD terms); this package reads pyang's copies.

    Examples
    --------
    >>> definitions = yang_definitions()
    >>> definitions.columns.to_list()
    ['module', 'node', 'kind', 'sentence']
    >>> definitions.loc[definitions["node"] == "system/ntp/server/iburst", "sentence"].item()
    'Indicates whether this server should enable burst synchronization or not.'
    """
    return _all_definitions().copy()
