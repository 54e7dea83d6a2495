"""Score well-known encoders on two collections, at several numbers of rows, for comparison with cards.

Run: ``python scripts/make_reference_scores.py``, in the book's environment, without network; about five
minutes. It writes reference-encoders.csv and its record into isotropy_report/card/data.

YANG
    The 2,288 definitions of the book's collection by the six encoders whose embeddings are in the repository
    (scripts/make_encoder_embeddings.py).
Wikipedia
    Sentences of the articles in gensim's wheel, by MiniLM, the one encoder whose weights the book installs.

Scores depend on the number of rows. For each encoder and number of rows, the table has the mean and the
standard deviation over seeded draws without replacement.
"""

import csv
import hashlib
import io
import platform
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from making import write_record

from isotropy_lab.isotropy import average_cosine, isotropy_scores
from reanalyses.corpora import MiniLM, wikipedia_sentences
from reanalyses.roychowdhury2024.datasets import encoders

OUTPUT = Path(__file__).resolve().parents[1] / "isotropy_report" / "card" / "data" / "reference-encoders.csv"
COLUMNS = ("collection", "encoder", "dimensions", "rows", "measure", "value", "deviation", "draws")
MEASURES = (
    "isoscore",
    "isoscore_corrected",
    "isotropy_defect",
    "varex_score",
    "average_cosine",
    "partition_score",
    "id_score",
)
SIZES = (200, 500, 1_000, 2_000, 5_000, 10_000)
FAMILIES = ("MiniLM", "E5", "USE", "SmolLM2", "GloVe", "word2vec")
DRAWS = 10
QUERIES = 2_000

Rows = npt.NDArray[np.float64]


def main() -> None:
    """Score the encoders, and write the table and its record."""
    rows = [row for name, X in embeddings() for row in table_rows(*name, X)]
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows(rows)
    content = stream.getvalue().encode()
    OUTPUT.write_bytes(content)
    write_record(OUTPUT.with_suffix(".json"), record(content))


def embeddings() -> Iterator[tuple[tuple[str, str], Rows]]:
    """Yield collections and encoders with their embeddings."""
    for encoder in FAMILIES:
        documents = encoders.load(encoder, "yang").documents[0]
        yield ("YANG definitions", encoder), documents.astype(np.float64)
    sentences = wikipedia_sentences()
    indices = np.random.default_rng(0).permutation(len(sentences))[: max(SIZES)]
    yield (
        ("Wikipedia sentences", "MiniLM"),
        MiniLM().encode([sentences[i] for i in indices]).astype(np.float64),
    )


def table_rows(collection: str, encoder: str, X: Rows) -> Iterator[tuple[Any, ...]]:
    """Yield one row of the table for each number of rows and each measure."""
    for size in SIZES:
        if size > len(X):
            continue
        start = time.monotonic()
        n_draws = 1 if size == len(X) else DRAWS
        draws = [scores(X, size, seed) for seed in range(n_draws)]
        for measure in (*MEASURES, "average_cosine_centered"):
            values = np.array([draw[measure] for draw in draws])
            deviation = f"{values.std(ddof=1):.6f}" if n_draws > 1 else ""
            yield (
                collection, encoder, X.shape[1], size, measure, f"{values.mean() + 0.0:.6f}", deviation,
                    n_draws,
            )  # fmt: skip
        print(f"{collection} {encoder} {size:,}: {time.monotonic() - start:.0f} s", flush=True)


def scores(X: Rows, size: int, seed: int) -> dict[str, float]:
    """Return the scores of rows, as computed for a card."""
    rng = np.random.default_rng(seed)
    Y = X[rng.choice(len(X), size=size, replace=False)]
    result = isotropy_scores(Y, n_queries=min(QUERIES, size), rng=rng)
    values = {measure: getattr(result, measure) for measure in MEASURES}
    return values | {"average_cosine_centered": average_cosine(Y - Y.mean(axis=0))}


def record(content: bytes) -> dict[str, Any]:
    """Return the record of the table's source."""
    records = {name: encoders.encoder_provenance(name) for name in FAMILIES}
    return {
        "file": OUTPUT.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "script": "scripts/make_reference_scores.py",
        "made": str(date.today()),
        "source": "Scores computed by this project with the script above, of embeddings that its book holds "
        "or its encoder makes; no vector is in the file",
        "version": "; ".join(f"{name}: {source['version']}" for name, source in records.items()),
        "license": "MIT, as this project",
        "encoders": {name: source["model"] for name, source in records.items()},
        "embeddings_sha256": {name: source["sha256"] for name, source in records.items()},
        "collections": {
            "YANG definitions": (
                "2,288 definitions of the book's collection, a sentence or two each; unit rows, "
                "rounded for storage"
            ),
            "Wikipedia "
            "sentences": f"{max(SIZES):,} sentences drawn from the articles in gensim's wheel; unit rows",
        },
        "columns": "collection; encoder; its dimensions; rows drawn; measure as in the card's JSON; mean "
        "over the draws; standard deviation between the draws (empty for one draw), which understates where "
        "most rows are drawn; draws",
        "missing": "Encoders whose embeddings or weights this repository does not hold, such as "
        "all-mpnet-base-v2, BGE, GTE, "
        "full-precision E5 and those behind an API; on Wikipedia sentences all but MiniLM.",
        "platform": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "machine": platform.machine(),
        },
    }


if __name__ == "__main__":
    main()
