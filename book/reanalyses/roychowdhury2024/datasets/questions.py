"""Questions about the YANG definitions: natural ones to test a search with, templates to train it on."""

from __future__ import annotations

import csv
import re
import zlib
from functools import lru_cache

import pandas as pd

from reanalyses.corpora import yang_definitions
from reanalyses.records import data_file, record

__all__ = ["questions", "template_questions"]

_FOLDER = "reanalyses.roychowdhury2024"
_NAMED_IN_ERRORS = 10

_WORD = re.compile(r"[a-z0-9]+")
_KIND = re.compile(r" \(([^)]*)\)$")  # yang_definitions() appends it where definitions share a path

# What one may ask of a definition of each kind when only its name is known. `{name}` is the name as words, with as
# many of its ancestors as it takes to tell it from its namesakes.
_ASK_FOR_MEANING = ("What is {name}?", "What does {name} mean?", "What is meant by {name}?")
_ASK_FOR_CONTENT = (
    "What does the {name} hold?",
    "What is stored in the {name}?",
    "What is found under the {name}?",
)
_ASK_FOR_SETTING = ("What is the {name}?", "What does the {name} say?", "What is meant by the {name}?")
_ASK_FOR_VALUE = (
    "What does the value {name} stand for?",
    "When is the value {name} used?",
    "What does the value {name} say?",
)
_ASK_FOR_EFFECT = (
    "What does the operation {name} do?",
    "When is the operation {name} called for?",
    "What is the purpose of the operation {name}?",
)
_ASK_FOR_OCCASION = (
    "When is the notification {name} sent?",
    "What does the notification {name} report?",
    "What is the notification {name} for?",
)
_ASK_FOR_ABILITY = (
    "What does support for {name} mean?",
    "What can a server do that supports {name}?",
    "What does the feature {name} offer?",
)
_ASK_FOR_TYPE = (
    "What does the type {name} represent?",
    "What is the type {name} used for?",
    "Which values does the type {name} take?",
)
_TEMPLATES = {
    "action": _ASK_FOR_EFFECT,
    "anydata": _ASK_FOR_CONTENT,
    "anyxml": _ASK_FOR_CONTENT,
    "bit": _ASK_FOR_VALUE,
    "case": _ASK_FOR_MEANING,
    "choice": _ASK_FOR_SETTING,
    "container": _ASK_FOR_CONTENT,
    "enum": _ASK_FOR_VALUE,
    "extension": _ASK_FOR_MEANING,
    "feature": _ASK_FOR_ABILITY,
    "grouping": _ASK_FOR_CONTENT,
    "identity": _ASK_FOR_MEANING,
    "leaf": _ASK_FOR_SETTING,
    "leaf-list": _ASK_FOR_CONTENT,
    "list": _ASK_FOR_CONTENT,
    "notification": _ASK_FOR_OCCASION,
    "rpc": _ASK_FOR_EFFECT,
    "typedef": _ASK_FOR_TYPE,
}


@lru_cache(maxsize=1)
def _natural() -> list[tuple[str, str, str]]:
    """The table as it is kept: question, module, node."""
    lines = data_file("roychowdhury2024", "questions.tsv").read_text(encoding="utf-8").splitlines()
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(question, module, node) for question, module, node in rows][1:]


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def questions() -> pd.DataFrame:
    """Natural questions about `yang_definitions`, each answered by one of its sentences.

    A set for testing a search in a technical domain; nobody has asked these questions. A language model wrote
    them for this project after reading the definitions; the record beside the file says how they were read
    again and what was changed. A model that is trained must not see them, nor be chosen by them without a
    second half kept apart. ``gold`` is the answer's row in `yang_definitions`; ``attrs`` holds their
    ``license`` and the ``rules`` by which they were written. That a single sentence answers is a judgment;
    about a third of the sentences are asked for.
    """
    definitions = yang_definitions()
    row_of = {
        key: row for row, key in enumerate(zip(definitions["module"], definitions["node"], strict=True))
    }
    asked = _natural()
    lacking = [f"{module}: {node}" for _, module, node in asked if (module, node) not in row_of]
    if lacking:
        further = len(lacking) - _NAMED_IN_ERRORS
        listed = "; ".join(lacking[:_NAMED_IN_ERRORS]) + (f"; and {further} more" if further > 0 else "")
        raise ValueError(
            f"questions(): the definitions lack {len(lacking)} of the {len(asked)} that are asked for ({listed})"
        )
    table = pd.DataFrame(asked, columns=["question", "module", "node"])
    table["gold"] = pd.Series([row_of[module, node] for _, module, node in asked], dtype="int64")
    table.insert(3, "sentence", definitions["sentence"].to_numpy()[table["gold"].to_numpy()])
    about = record("roychowdhury2024", "questions")
    table.attrs = {"license": about["license"], "rules": about["rules"]}
    return table


def _spoken(step: str) -> str:
    """A step of a path as words: "linkDown-trap" is "link down trap"."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", _KIND.sub("", step))
    return " ".join(re.split(r"[\s_-]+", name)).lower()


def _names_apart(definitions: pd.DataFrame) -> list[str]:
    """The first name of each definition that no other shares: its own, "… in module", "… of parent", and so on."""
    steps = [
        [_spoken(step) for step in _KIND.sub("", node).split("/")[::-1]]
        for node in definitions["node"].to_list()
    ]
    modules = [_spoken(module) for module in definitions["module"].to_list()]
    kinds = definitions["kind"].to_list()
    candidates = []
    for path, module, kind in zip(steps, modules, kinds, strict=True):
        names = []
        for depth in range(len(path)):
            chain = " of ".join(path[: depth + 1])
            names += [chain, f"{chain} in {module}"]
        candidates.append([*names, f"{kind.replace('-', ' ')} {names[-1]}"])
    # A name is taken only if nothing else could go by it, so that the order of the definitions is of no account.
    claims: dict[str, int] = {}
    for names in candidates:
        for name in dict.fromkeys(names):
            claims[name] = claims.get(name, 0) + 1
    return [next((name for name in names if claims[name] == 1), "") for names in candidates]


def template_questions() -> pd.DataFrame:
    """Questions made from the names of `yang_definitions`, for training only.

    They contain the name of what they ask for, so that a search finds their answers by the name alone. The
    name is the first that no other definition shares: its own ("is fru"), with the module, with the step
    above ("mtu of ipv4"), and so on. ``attrs`` holds, as ``left_out``, how many definitions cannot be named
    apart. The choice among three questions for a kind depends on module and node only. None equals one of
    `questions`, but both ask for the same sentences: leave those definitions out, fold by fold, before
    scoring a model that has trained on them.
    """
    definitions = yang_definitions()
    natural = {_words(question) for question, _, _ in _natural()}
    rows = []
    for gold, (definition, name) in enumerate(
        zip(definitions.itertuples(index=False), _names_apart(definitions), strict=True)
    ):
        templates = _TEMPLATES[definition.kind]
        first = zlib.crc32(f"{definition.module}/{definition.node}".encode())
        question = templates[first % len(templates)].format(name=name)
        if name and _words(question) not in natural:
            rows.append((question, definition.module, definition.node, definition.sentence, gold, "template"))
    table = pd.DataFrame(rows, columns=["question", "module", "node", "sentence", "gold", "source"])
    table["gold"] = table["gold"].astype("int64")
    table.attrs = {"left_out": len(definitions) - len(table)}
    return table
