"""Reference pages with an index of names, the command line, and author–year labels in the bibliography.

The sources are signatures, docstrings, the command line's parsers, and the output of its examples. Pages link to the
bibliography, the glossary, and theorems by plain Markdown: ``[Rudman et al. (2022)](#rudman2022)`` (first author and
year, or the whole key), ``[anisotropic](#term-anisotropic)``, ``[theorem](#thm-participation-ratio)``.
"""

import argparse
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from docutils.statemachine import StringList
from pybtex.plugin import register_plugin
from pybtex.style.formatting.unsrt import Style as UnsrtStyle
from pybtex.style.labels import BaseLabelStyle
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinxcontrib.bibtex import plugin as referencing
from sphinxcontrib.bibtex.style.referencing import BracketStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

from reanalyses import dependencies
from reanalyses.corpora import python_docs

logger = logging.getLogger(__name__)

#: Example of each subcommand, with data bundled with the package or, for thresholds, with the book.
EXAMPLES = {
    "audit": "audit --accuracy 0.70 --against 0.74 --questions 120",
    "check": "check glove-weat",
    "compare": "compare glove-weat glove-pool --unpaired --sample 300",
    "costs": "costs glove-weat",
    "drift": "drift glove-weat glove-pool --sample 300",
    "map": "map documents.npy map.npy",
    "report": "report glove-weat --output report.html",
    "scores": "scores glove-weat",
    "threshold": "threshold questions.npy documents.npy --gold gold.txt --out-of-scope others.npy",
}


class NamesAndYears(BaseLabelStyle):
    """Labels as in the text, such as "Rudman et al. (2022)", with letters to distinguish equal labels."""

    def format_labels(self, sorted_entries: Any) -> Iterator[str]:
        """Yield the label of each entry."""
        labels = [f"{self.names(entry)} ({entry.fields.get('year', 'no year')}" for entry in sorted_entries]
        n_total, n_seen = Counter(labels), Counter()
        for label in labels:
            n_seen[label] += 1
            yield (label + (chr(96 + n_seen[label]) if n_total[label] > 1 else "") + ")")

    @staticmethod
    def names(entry: Any) -> str:
        """Return one or two authors, or the first author and "et al."."""
        people = entry.persons.get("author") or entry.persons.get("editor") or []
        last = [" ".join([*person.prelast_names, *person.last_names]).strip("{}") for person in people]
        if not last:
            return str(entry.fields.get("organization") or entry.fields.get("title", entry.key)).strip("{}")
        return f"{last[0]} et al." if len(last) > 2 else " and ".join(last)


class BibliographyStyle(UnsrtStyle):
    """Entries sorted by authors and year, which are their labels."""

    default_label_style = "names-and-years"
    default_sorting_style = "author_year_title"


def round_brackets() -> BracketStyle:
    """Return round brackets, as in the text."""
    return BracketStyle(left="(", right=")")


class ReferenceStyle(AuthorYearReferenceStyle):
    """Authors and years in round brackets, as in the bibliography."""

    def __init__(self) -> None:
        super().__init__(bracket_textual=round_brackets(), bracket_parenthetical=round_brackets())


class CommandLine(SphinxDirective):
    """Help texts of ``isotropy-lab``, with one section and an executed example per subcommand."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        from isotropy_report.cli import COMMANDS

        lines = [line for name in COMMANDS for line in _section(name)]
        for package in ("isotropy_lab", "isotropy_report"):
            for file in dependencies.files_under(dependencies.ROOT / package):
                self.env.note_dependency(str(file))
        section = nodes.section()
        section.document = self.state.document
        self.state.nested_parse(StringList(lines, source="command line"), 0, section, match_titles=True)
        return section.children


#: Outside code, two hyphens become a dash, which no shell accepts.
_OPTION = re.compile(r"(--[a-z][a-z-]*)")


def _section(name: str) -> list[str]:
    """Return the section of a subcommand as MyST Markdown."""
    from isotropy_report.cli import COMMANDS, parser

    main_parser = parser("isotropy-lab", COMMANDS, name)
    subparser = next(
        action for action in main_parser._actions if isinstance(action, argparse._SubParsersAction)
    ).choices[name]
    formatter = argparse.HelpFormatter(subparser.prog)
    usage = subparser.format_usage().rstrip()
    description = re.sub(
        r"(?m)^Example: (.*)$", r"\nExample: `\1`", subparser.description or ""
    )  # a paragraph each
    description = re.sub(
        r"(?m)(?<!\S)(--?[a-z][a-z-]*)(?=[\s,.;])(?=[^`]*(?:`[^`]*`[^`]*)*$)", r"`\1`", description
    )
    lines = [f"## {name}", "", *description.strip().split("\n"), "", "```text", *usage.split("\n"), "```", ""]
    for action in subparser._get_positional_actions() + subparser._get_optional_actions():
        if action.help == argparse.SUPPRESS:
            continue
        help_text = formatter._expand_help(action) if action.help else ""
        invocation = formatter._format_action_invocation(action)
        lines += [f"`{invocation}`", ": " + _OPTION.sub(r"`\1`", help_text), ""]
    if file_help := subparser.get_default("titled")["reading files"].description:
        lines += [_OPTION.sub(r"`\1`", f"For reading files: {file_help}."), ""]
    return [*lines, *_example(EXAMPLES[name])]


def _example(words: str) -> list[str]:
    """Run an example, and return it with its output."""
    with tempfile.TemporaryDirectory() as folder:
        if "documents.npy" in words:
            _write_search(Path(folder))
        process = subprocess.run(
            [sys.executable, "-m", "isotropy_report", *shlex.split(words)],
            capture_output=True,
            text=True,
            cwd=folder,
            check=False,
        )
    if process.returncode:
        raise RuntimeError(f"isotropy-lab {words} exited with code {process.returncode}: {process.stderr}")
    return ["```console", f"$ isotropy-lab {words}", *process.stdout.rstrip().split("\n"), "```", ""]


def _write_search(folder: Path) -> None:
    """Write questions about Python and NumPy, documents with a map, and out-of-scope questions."""
    collection = python_docs.load()
    np.save(folder / "questions.npy", collection.question_vectors)
    np.save(folder / "documents.npy", collection.document_vectors)
    np.save(folder / "others.npy", collection.out_of_scope_vectors)
    centered = collection.document_vectors - collection.document_vectors.mean(axis=0)
    np.save(folder / "map.npy", centered @ np.linalg.svd(centered)[2][:2].T)
    np.savetxt(folder / "gold.txt", collection.gold, fmt="%d")


def add_list_of_names(app: Sphinx, doctree: nodes.document) -> None:
    """Begin a page of the reference with a list of names, each with a link and its first sentence."""
    if not app.env.docname.startswith("reference/"):
        return
    entries = []
    for entry in doctree.findall(addnodes.desc):
        if entry.get("domain") != "py" or isinstance(entry.parent, addnodes.desc_content):
            continue
        signature = entry.next_node(addnodes.desc_signature)
        if signature is None or not signature["ids"]:
            continue
        summary = entry.next_node(nodes.paragraph, descend=True)
        link = nodes.reference("", "", internal=True, refid=signature["ids"][0])
        link += nodes.literal("", signature.get("fullname") or signature.astext())
        line = nodes.paragraph("", "", link)
        if summary is not None:
            sentence = re.split(r"(?<!et al)[.:](?:\s|$)", " ".join(summary.astext().split()))[0]
            line += nodes.Text(": " + sentence)
        entries.append(nodes.list_item("", line))
    intro = next(iter(doctree.findall(nodes.paragraph)), None)
    if entries and intro is not None:
        intro.parent.insert(
            intro.parent.index(intro) + 1, nodes.bullet_list("", *entries, classes=["il-names"])
        )


def add_link_targets(app: Sphinx, env: BuildEnvironment) -> None:
    """Add targets for plain Markdown links to glossary terms, bibliography entries, and theorems.

    JupyterLab shows the text of such links, but the source of roles.
    """
    standard = env.get_domain("std")
    targets: dict[str, tuple[str, str, str]] = {}
    for (kind, term), (page, anchor) in standard.objects.items():
        if kind == "term":
            targets[anchor] = targets[anchor.lower()] = (page, anchor, term)
    for citation in env.get_domain("cite").citations:
        shown_label = str(citation.formatted_entry.label)
        target = (citation.bibliography_key.docname, citation.citation_id, shown_label)
        targets[citation.key] = target
        match = re.match(r"[a-z]+\d{4}", citation.key)
        if match is None:
            logger.warning("The key %r does not begin with an author and a year", citation.key)
        else:
            targets.setdefault(match[0], target)
        # Compare the printed year, too, which can be later than the year in the key.
        year = citation.entry.fields.get("year", "")
        targets.setdefault(shown_label.split()[0].lower() + year, target)
    for name, (page, anchor, title) in targets.items():
        standard.anonlabels.setdefault(name, (page, anchor))
        standard.labels.setdefault(name, (page, anchor, title))
    for label, theorem in getattr(env, "proof_list", {}).items():
        anchor = theorem["ids"][0]
        standard.anonlabels.setdefault(label, (theorem["docname"], anchor))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers."""
    register_plugin("pybtex.style.labels", "names-and-years", NamesAndYears)
    register_plugin("pybtex.style.formatting", "names-and-years", BibliographyStyle)
    referencing.register_plugin("sphinxcontrib.bibtex.style.referencing", "names_and_years", ReferenceStyle)
    app.add_directive("command-line", CommandLine)
    app.connect("doctree-read", add_list_of_names)
    app.connect("env-updated", add_link_targets, priority=900)  # after the bibliography has been read
    return {"parallel_read_safe": True, "parallel_write_safe": True}
