"""Questions about the YANG definitions: natural ones for evaluation, and templates for training."""

from __future__ import annotations

import csv
import re
import zlib
from collections import Counter
from functools import lru_cache

import pandas as pd

from reanalyses.corpora import yang_definitions
from reanalyses.records import data_file

_WORD = re.compile(r"[a-z0-9]+")
_KIND = re.compile(r" \(([^)]*)\)$")  # yang_definitions() appends the kind if definitions share a path

# Questions about a definition of each kind, based only on its name. `{name}` is the name as words, with as
# many ancestors as are needed to make it unique.
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
def _natural_questions() -> pd.DataFrame:
    """Return the stored table: question, module, node."""
    file = data_file("roychowdhury2024", "questions.tsv")
    return pd.read_csv(file, sep="\t", quoting=csv.QUOTE_NONE, dtype=str, keep_default_na=False)


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.lower()))


def questions() -> pd.DataFrame:
    """Return natural questions about `yang_definitions`, each answered by one of its sentences.

    A set for evaluating search in a technical domain; no user has asked these questions. A language model
    wrote them for this project after reading the definitions; the record next to the file has their license,
    the rules by which they were written, and how they were reviewed and changed. Do not train a model on them,
    nor select one by them without a held-out half. ``gold`` is the answer's row in `yang_definitions`. That a
    single sentence answers a question is a judgment; about a third of the sentences have a question.
    """
    definitions = yang_definitions().rename_axis("gold").reset_index()
    answers = definitions[["module", "node", "sentence", "gold"]]
    return _natural_questions().merge(answers, how="left", on=["module", "node"])


def _as_words(step: str) -> str:
    """Return a path component as words, such as "link down trap" for "linkDown-trap"."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", _KIND.sub("", step))
    return " ".join(re.split(r"[\s_-]+", name)).lower()


def _unique_names(definitions: pd.DataFrame) -> list[str]:
    """Return the shortest unique name of each definition: its own, "… in module", "… of parent", and so on."""
    steps = [
        [_as_words(step) for step in _KIND.sub("", node).split("/")[::-1]]
        for node in definitions["node"].to_list()
    ]
    modules = [_as_words(module) for module in definitions["module"].to_list()]
    kinds = definitions["kind"].to_list()
    candidates = []
    for path, module, kind in zip(steps, modules, kinds, strict=True):
        names = []
        for depth in range(len(path)):
            chain = " of ".join(path[: depth + 1])
            names += [chain, f"{chain} in {module}"]
        candidates.append([*names, f"{kind.replace('-', ' ')} {names[-1]}"])
    # A name is used only if it matches no other definition, so that the order of definitions does not matter.
    counts = Counter(name for names in candidates for name in set(names))
    return [next((name for name in names if counts[name] == 1), "") for names in candidates]


def template_questions() -> pd.DataFrame:
    """Return questions generated from the names of `yang_definitions`, for training only.

    The questions contain the name of their answer, so that a search can find it by the name alone. The name
    is the shortest unique one: the definition's own ("is fru"), with the module, with the parent ("mtu of
    ipv4"), and so on; definitions without a unique name are excluded. The choice among three questions for a
    kind depends only on module and node. None of them equals one of `questions`, but both ask about the same
    sentences: exclude those sentences, fold by fold, before scoring a model that was trained on them.
    """
    definitions = yang_definitions()
    natural = {_words(question) for question in _natural_questions()["question"]}
    rows = []
    for gold, (definition, name) in enumerate(
        zip(definitions.itertuples(index=False), _unique_names(definitions), strict=True)
    ):
        templates = _TEMPLATES[definition.kind]
        checksum = zlib.crc32(f"{definition.module}/{definition.node}".encode())
        question = templates[checksum % len(templates)].format(name=name)
        if name and _words(question) not in natural:
            rows.append((question, definition.module, definition.node, definition.sentence, gold))
    return pd.DataFrame(rows, columns=["question", "module", "node", "sentence", "gold"])
