"""Store the relevance judgments and question ratings of two passes in the book's data.

Run: ``python scripts/make_judgments.py READINGS`` with a folder READINGS of tab-separated files without
headers:

- ``relevance-1*.tsv``, ``relevance-2*.tsv``: question and document of Open vSwitch (ids), grade from 0 to 3;
- ``ratings-1.tsv``, ``ratings-2.tsv``: row of the question (from 0), rating from 1 to 5.

A language model made all of them. This script only checks that both passes have the same pairs.
"""

import hashlib
import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
from making import options_of

from reanalyses.roychowdhury2024.datasets.adapted import text_hash
from reanalyses.roychowdhury2024.datasets.questions import questions
from reanalyses.roychowdhury2024.datasets.text_collections import open_vswitch

DATA = Path(__file__).resolve().parents[1] / "book" / "reanalyses" / "roychowdhury2024" / "data"
JUDGE = (
    "A language model, in two readings that did not see each other. It is one model, so that both "
    "readings may share an "
    "error: their agreement says how repeatable the judgments are, and not whether people would judge alike."
)
ADDED_LATER = (
    " Of the 1,566 pairs that were added last, the first reading judged most from the paragraphs' first "
    "words, after it had read all paragraphs in full."
)
RELEVANCE_GUIDE = [
    "Judged is only what the text says to a person who has this question; its place is there to "
    "understand it.",
    "3, answers: by itself it answers the question or its main point; the person could stop reading.",
    "2, answers in part: a needed part of the answer, one of several ways or steps, a condition or exception "
    "that decides the case; or it answers only beside another paragraph.",
    "1, helps: same subject and useful on the way, and no part of the answer.",
    "0, does not: another subject, only shared words, or the right subject and nothing said.",
    "In doubt the lower grade; each pair for itself, whether or not the paragraph is printed under the "
    "question.",
    "What is out of date counts as right; nothing is filled in from elsewhere.",
]
RATING_GUIDE = [
    "Rated is whether an engineer who does not know the module's text would ask this, in these words; need "
    "and wording together, the lower of the two decides.",
    "5: yes, in about these words. 4: yes, worded a little differently. 3: perhaps; the need is rare or the "
    "wording stilted. 2: hardly; it makes sense only with the sentence at hand, or talks around a thing that "
    "has a name. 1: no; a riddle, a quiz about the text, or no need that one can name.",
    "Not rated is whether the answer is good or hard to find; shared words are no fault. In doubt the "
    "lower rating.",
]


def read_pass(folder: Path, pattern: str, columns: list[str]) -> pd.DataFrame:
    """Return one pass, which may be in several files."""
    parts = [
        pd.read_csv(path, sep="\t", header=None, names=columns, dtype={"document": str})
        for path in sorted(folder.glob(pattern))
    ]
    return pd.concat(parts, ignore_index=True)


def join_passes(folder: Path, pattern: str, keys: list[str]) -> pd.DataFrame:
    """Join two passes, rejecting pairs that are judged twice or in only one pass."""
    first, second = (read_pass(folder, pattern.format(n), [*keys, "grade"]) for n in (1, 2))
    joined = first.merge(second, on=keys, how="outer", validate="one_to_one", suffixes=("_1", "_2"))
    if joined.isna().to_numpy().any():
        raise SystemExit(f"{pattern}: some pairs are in only one pass; expected the same pairs in both")
    joined = joined.rename(columns={"grade_1": "first", "grade_2": "second"})
    return joined.astype({"first": int, "second": int}).sort_values(keys, ignore_index=True)


def write(table: pd.DataFrame, name: str, record: dict[str, Any]) -> None:
    """Write a table and its record."""
    content = table.to_csv(sep="\t", index=False, lineterminator="\n").encode()
    (DATA / f"{name}.tsv").write_bytes(content)
    full_record = {
        "file": f"{name}.tsv",
        "sha256": hashlib.sha256(content).hexdigest(),
        "rows": len(table),
        "script": "scripts/make_judgments.py",
        "made": date.today().isoformat(),
        "license": "MIT, as the project",
        **record,
    }
    text = json.dumps(full_record, indent=2, ensure_ascii=False) + "\n"
    (DATA / f"{name}.json").write_text(text, encoding="utf-8")


def main() -> None:
    """Write both files."""
    parser = options_of(__doc__)
    parser.add_argument("readings", type=Path)
    folder = parser.parse_args().readings
    ovs_questions, paragraphs = open_vswitch()
    write(
        join_passes(folder, "relevance-{}*.tsv", ["question", "document"]),
        "open-vswitch-relevance",
        {
            "source": "Judged for this project: " + JUDGE + ADDED_LATER,
            "version": ovs_questions.attrs["version"],
            "columns": (
                "question and document (ids of open-vswitch.json), grade of the first and of the "
                "second reading"
            ),
            "guide": RELEVANCE_GUIDE,
            "pool": "The ten best documents by every encoder, by BM25, by each encoder fused with BM25, and "
            "by MiniLM, E5 and BM25 on documents with their place; and all that are printed under the "
            "question. In an arbitrary order, without scores. Pairs outside the pool count as not relevant.",
            "texts": {
                "questions": text_hash(ovs_questions["question"].to_list()),
                "documents": text_hash(paragraphs["text"].to_list()),
            },
        },
    )
    yang_questions = questions()
    ratings = join_passes(folder, "ratings-{}.tsv", ["row"])
    if ratings["row"].tolist() != list(range(len(yang_questions))):
        raise SystemExit("The ratings do not match the questions; expected one rating per question")
    ratings = pd.concat([yang_questions[["module", "node"]], ratings[["first", "second"]]], axis=1)
    write(
        ratings,
        "question-ratings",
        {
            "source": "Rated for this project: " + JUDGE,
            "version": f"{len(yang_questions)} questions of questions.tsv",
            "columns": "module and node of the question, rating of the first and of the second reading",
            "guide": RATING_GUIDE,
            "texts": {"questions": text_hash(yang_questions["question"].to_list())},
        },
    )


if __name__ == "__main__":
    main()
