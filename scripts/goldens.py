"""Keep what the code gives today, to see tomorrow what moved.

``python scripts/goldens.py write FILE [--site FOLDER]`` writes what each public function gives for seeded
inputs, the outcome of each claim and erratum, and the text of the pages of a built site. ``python
scripts/goldens.py compare OLD NEW`` lists what vanished, appeared or moved between two such files, and exits
with 1 if anything did.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import io
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from compare_sites import pages

RTOL = 1e-10
#: A number that is zero but for rounding has no digits that could agree.
ATOL = 1e-14
KINDEL = "reanalyses.kindel2023"
#: Where a function or a module is now, if it has moved since its goldens got their names.
MOVED: dict[str, str] = {
    "isotropy.alignment": "isotropy_report.measures.alignment",
    "isotropy.clouds": "reanalyses.rudman2022.clouds",
    "isotropy.effective_rank": "isotropy_report.measures.effective_rank",
    "isotropy.hubness": "isotropy_report.measures.hubness",
    "isotropy.rankme": "isotropy_report.measures.rankme",
    "isotropy.uniformity": "isotropy_report.measures.uniformity",
    "association.between_lattice": "reanalyses.kindel2023.lattice.between_lattice",
    "association.centroid_mean_cosine_similarity": f"{KINDEL}.similarities.centroid_mean_cosine_similarity",
    "association.condition_numbers": f"{KINDEL}.similarities.condition_numbers",
    "association.consistency_index": "reanalyses.kindel2023.consistency_index.consistency_index",
    "association.keywords.coverage": "reanalyses.kindel2023.keyword_coverage.coverage",
    "association.matched_pools": "reanalyses.kindel2023.nulls.matched_pools",
    "association.normalized_mean_cosine_similarity": (
        f"{KINDEL}.similarities.normalized_mean_cosine_similarity"
    ),
    "association.paired_mean_cosine_similarity": f"{KINDEL}.similarities.paired_mean_cosine_similarity",
    "association.subset_similarities": "reanalyses.kindel2023.lattice.subset_similarities",
    "isotropy.isoscore_from_covariance": "reanalyses.rudman2022.covariance.isoscore_from_covariance",
    "moments.moments": "isotropy_lab.moments",
    "report.compare": "isotropy_report.comparison.compare",
    "report.drift_report": "isotropy_report.comparison.drift_report",
    "retrieval.similarity_densities": "reanalyses.roychowdhury2024.similarity_densities.similarity_densities",
    "retrieval.read_qrels": "isotropy_report.io.read_qrels",
    "retrieval.read_run": "isotropy_report.io.read_run",
    "vectors.available": "isotropy_report.io.available",
    "vectors.load_word_vectors": "isotropy_report.io.load_word_vectors",
    "vectors.pools": "isotropy_report.io.pools",
    "vectors.provenance": "isotropy_report.io.provenance",
    "vectors.read": "isotropy_report.io.read",
    "cli": "isotropy_report.cli",
    "comparison": "isotropy_report.measures",
    "report": "isotropy_report.card",
    "vectors": "reanalyses.corpora",
}


def find(name: str) -> Any:
    """Return a public function by its name, such as "isotropy.isoscore", or None if it is gone."""
    path = f"isotropy_lab.{name}"
    for before, now in MOVED.items():  # the longer names come first
        if f"{name}.".startswith(f"{before}."):
            path = now + name.removeprefix(before)
            break
    module, _, attribute = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError):
        return None


# --- inputs -------------------------------------------------------------------------------------------------

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 6)) * [4, 3, 2, 1, 1, 0.5] + 1
X2 = X + RNG.standard_normal(X.shape)  # the same items by another model
Y = X[:, :2] + 0.3 * RNG.standard_normal((60, 2))  # a projection
WIDE = RNG.standard_normal((60, 30)) / np.arange(1, 31)
GROUPS = np.arange(60) % 12
SCALES = np.geomspace(0.1, 10, 7)
A, B, C, D = RNG.standard_normal((4, 6, 9)) + RNG.standard_normal((4, 1, 9))
POOL = RNG.standard_normal((80, 9))
WORDS = {"A": ["rose", "tulip"], "B": ["ant", "wasp"], "C": ["love", "peace"], "D": ["filth", "poison"]}
DOCUMENTS = RNG.standard_normal((50, 8))
SEARCH = (DOCUMENTS[:30] + RNG.standard_normal((30, 8)), DOCUMENTS, np.arange(30))
RANKS, RANKS2 = RNG.integers(1, 25, (2, 40))
SIMILARITIES = -np.sort(-RNG.uniform(0, 1, (40, 10)))
RUN = {f"q{i}": {f"d{j}": float(RNG.integers(0, 9)) for j in range(12)} for i in range(8)}
QRELS = {f"q{i}": {"d0": 1, f"d{i + 1}": i % 3} for i in range(8)}
NAMES = [f"d{i}" for i in range(50)]
FEW = {"n_resamples": 500, "rng": 0}
METRICS = ("accuracy", "recall", "ndcg", "mrr", "map")


def _samples() -> Any:
    return find("retrieval.similarity_samples")(*SEARCH, k=5, rng=0)


def _curves() -> list[Any]:
    return [find("projection.stress_curve")(X, X[:, [i, 3]] * (i + 1), SCALES) for i in range(3)]


def _card(**options: Any) -> Any:
    return find("report.report_card")(X, transformations=False, pictures=False, **options)


def _models() -> Any:
    options = {"questions": {"a": X[:30], "b": X2[:30]}, "gold": range(30), "costs": True, "pictures": False}
    return find("report.compare")({"a": X, "b": X2}, rng=0, **options)


def _printed(main: Any, *arguments: str) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
        main(arguments)
    return out.getvalue()


# --- calls --------------------------------------------------------------------------------------------------

#: A module, its functions (below the package, "/" before the name of a variant), and their call.
CALLS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    (
        "isotropy",
        "isoscore dimensions_used isotropy_defect average_cosine average_cosine_score partition_score "
        "partition_score_second_order varex_score intrinsic_dimension id_score isotropy_scores "
        "effective_rank rankme "
        "uniformity hubness isoscore_interval partition.log_partition_score "
        "intrinsic.intrinsic_dimension_details",
        lambda f: f(X),
    ),
    ("isotropy", "isoscore/corrected dimensions_used/corrected", lambda f: f(X, estimator="corrected")),
    ("isotropy", "isoscore_from_eigenvalues", lambda f: f([4.0, 3.0, 1.0, 0.5])),
    ("isotropy", "isoscore_from_covariance", lambda f: f(np.cov(X.T))),
    ("isotropy", "isoscore_interval/groups", lambda f: f(X, groups=GROUPS)),
    ("isotropy", "average_cosine/pairs uniformity/pairs", lambda f: f(X, n_pairs=500, rng=0)),
    ("isotropy", "effective_rank/uncentered", lambda f: f(X, centered=False)),
    ("isotropy", "hubness/clouds", lambda f: f(X, metric="euclidean", n_clouds=3, rng=0)),
    ("isotropy", "alignment", lambda f: f(X, X2)),
    ("isotropy.clouds", "isotropic_gaussian power_law_spectrum", lambda f: f(9, 4, rng=0)),
    ("isotropy.clouds", "gaussian multivariate_t", lambda f: f(9, np.cov(X.T), rng=0)),
    ("isotropy.clouds", "first_k_dimensions one_long_axis", lambda f: f(9, 4, 2, rng=0)),
    ("isotropy.clouds", "power_law_eigenvalues", lambda f: f(9)),
    (
        "association",
        "mean_cosine_similarity paired_mean_cosine_similarity centroid_mean_cosine_similarity "
        "cosine_similarities "
        "normalized_mean_cosine_similarity canonical_similarity canonical_congruences "
        "corrected_canonical_similarity",
        lambda f: f(A, B),
    ),
    ("association", "canonical_similarity/minimum", lambda f: f(A, B, scale="minimum")),
    ("association", "condition_numbers consistency_profile", lambda f: f(A)),
    ("association", "cosine.unit_vectors canonical.row_basis", lambda f: f(A)),
    ("association", "consistency_index subset_similarities", lambda f: f(A, 3)),
    ("association", "consistency_index/sampled", lambda f: f(A, 3, n_resamples=9, rng=0)),
    ("association", "between_lattice", lambda f: f(A, B, 3)),
    ("association", "random_baseline", lambda f: f(6, 7, 50)),
    ("association", "matched_pools", lambda f: f([9.0, 50.0], np.arange(1.0, 300.0))),
    ("association", "null_intervals", lambda f: f(A, B, POOL, **FEW)),
    ("association", "null_intervals/neighborhoods", lambda f: f(A, B, POOL, draw="neighborhoods", **FEW)),
    ("association", "weat weat_effect_size weat_permutation_test", lambda f: f(A, B, C, D)),
    ("association", "weat/canonical", lambda f: f(A, B, C, D, similarity="canonical")),
    ("association", "weat_permutation_test/sampled", lambda f: f(A, B, C, D, **FEW)),
    ("association", "word_associations", lambda f: f(A, C, D)),
    ("association.keywords", "names", lambda f: f()),
    ("association.keywords", "load", lambda f: f("weat-7")),
    ("association.keywords", "custom", lambda f: f(**WORDS)),
    ("association.keywords", "read", lambda f: f("words.json")),
    ("association.keywords", "coverage", lambda f: f(find("vectors.load_word_vectors")("glove-weat"))),
    ("association.keywords", "find", lambda f: f("weat-7", find("vectors.load_word_vectors")("glove-weat"))),
    (
        "projection",
        "projection_quality normalized_stress scale_normalized_stress optimal_scale "
        "pair_sums shepard_goodness nonmetric_stress neighborhood_curve "
        "neighborhood_scores kl_divergence kl_gradient scale_normalized_kl forced_scale_kl",
        lambda f: f(X, Y),
    ),
    ("projection", "trustworthiness continuity", lambda f: f(X, Y, n_neighbors=7)),
    ("projection", "normalized_stress/scale", lambda f: f(X, Y, scale=2.0)),
    ("projection", "normalized_stress/squared nonmetric_stress/squared", lambda f: f(X, Y, squared=True)),
    ("projection", "scale_normalized_kl/gaussian", lambda f: f(X, Y, kernel="gaussian")),
    ("projection", "neighborhood_scores/sampled", lambda f: f(X, Y, n_neighbors=[3, 9], n_rows=20, rng=0)),
    ("projection", "affinities", lambda f: f(X, perplexity=5.0)),
    ("projection", "stress_curve kl_curve", lambda f: f(X, Y, SCALES)),
    ("projection", "stress_estimate", lambda f: f(X, Y, n_pairs=500, rng=0)),
    ("projection", "stress_estimate/Shepard", lambda f: f(X, Y, measure="Shepard", n_pairs=500, rng=0)),
    ("projection", "stress_estimate/non-metric", lambda f: f(X, Y, measure="non-metric", n_pairs=500, rng=0)),
    ("projection", "crossings curves.orders", lambda f: f(_curves())),
    ("projection", "kl.kl_histogram", lambda f: f(X, Y, bins_per_octave=8)),
    ("retrieval", "answer_ranks relevant_ranks pair_similarities", lambda f: f(*SEARCH)),
    ("retrieval", "answer_ranks/worst", lambda f: f(*SEARCH, similarity="dot", ties="worst")),
    ("retrieval", "top_k", lambda f: f(*SEARCH[:2], 5)),
    ("retrieval", "bootstrap_interval", lambda f: [f(RANKS, metric=m, k=5, **FEW) for m in METRICS]),
    ("retrieval", "bootstrap_interval/groups", lambda f: f(RANKS, groups=GROUPS[:40], **FEW)),
    ("retrieval", "compare_models", lambda f: f(RANKS, RANKS2, metric="ndcg", **FEW)),
    ("retrieval", "compare_all_models", lambda f: f({"a": RANKS, "b": RANKS2}, rng=0)),
    ("retrieval", "question_scores", lambda f: [f(RANKS, metric) for metric in ("ndcg", "mrr", "map")]),
    ("retrieval", "separation", lambda f: f(X, X2 + 2, rng=0)),
    ("retrieval", "cross_fitted", lambda f: f(*SEARCH, np.arange(30) % 3)),
    ("retrieval", "LinearAdapter", lambda f: f().fit(*SEARCH).transform(SEARCH[0])),
    ("retrieval", "adaptation.folds", lambda f: f(GROUPS)),
    ("retrieval", "similarity_samples", lambda f: f(*SEARCH, k=5, rng=0)),
    ("retrieval", "similarity_densities", lambda f: f(_samples(), n_points=32)),
    ("retrieval", "overlap", lambda f: f(_samples(), 40.0, **FEW)),
    ("retrieval", "similarity_threshold", lambda f: f(SIMILARITIES, RANKS, margin=0.3)),
    ("retrieval", "threshold_percentile", lambda f: f(SIMILARITIES, 40.0)),
    ("retrieval", "threshold_percentile/gamma", lambda f: f(SIMILARITIES, 40.0, method="gamma")),
    ("retrieval", "score_at_threshold", lambda f: f(SIMILARITIES, RANKS, 0.4)),
    ("retrieval", "run_ranks", lambda f: f(RUN, QRELS)),
    ("retrieval", "run_ranks/listed", lambda f: f(RUN, QRELS, ties="listed")),
    ("retrieval", "gold_from_qrels", lambda f: f(QRELS, QRELS, NAMES)),
    ("retrieval", "read_run", lambda f: f("run.txt")),
    ("retrieval", "read_qrels", lambda f: f("qrels.txt")),
    ("comparison", "cka procrustes_distance", lambda f: f(X, X2, n_resamples=99, rng=0)),
    ("comparison", "neighbor_overlap", lambda f: f(X, X2)),
    ("comparison", "drift_test", lambda f: f(X, X2 + 1, keep_null=True, **FEW)),
    ("comparison", "drift_power", lambda f: f(X, X2, n_splits=50, rng=0)),
    ("comparison", "compression_costs/10000", lambda f: f(X, questions=X2[:30], gold=range(30), k=5, rng=0)),
    ("report", "report_card", lambda f: _card()),
    ("report", "report_card/projection", lambda f: _card(projection=Y, labels=GROUPS, groups=GROUPS)),
    ("report", "report_card/questions", lambda f: _card(questions=X2[:30], gold=range(30))),
    ("report", "compare", lambda f: _models()),
    ("report", "drift_report", lambda f: f(X, X2 + 1, **FEW)),
    ("report", "failures", lambda f: f(_card(), below={"isoscore": 0.9}, above={"average_cosine": 0.0})),
    ("moments", "moments", lambda f: f(X, fourth=True)),
    ("transforms", "AllButTheTop Whitening", lambda f: f().fit_transform(X)),
    ("transforms", "Whitening/pca", lambda f: f(method="pca").fit_transform(X)),
    ("vectors", "available wikipedia_sentences yang_definitions", lambda f: f()[:20]),
    ("vectors", "provenance", lambda f: f("glove-weat")),
    ("vectors", "load_word_vectors", lambda f: f("glove-weat", limit=20).vectors),
    ("vectors", "pools.pool_words", lambda f: f("glove-weat", size=20)),
    ("vectors", "read", lambda f: f("X.npy")),
    ("vectors", "cached_encoding", lambda f: f(["A cat sat on the mat.", "Stress is a scalar."], cache=".")),
    ("cli", "main/scores", lambda f: _printed(f, "scores", "X.npy")),
    ("cli", "main/weat", lambda f: _printed(f, "weat", "glove-weat", "weat-7")),
    ("cli", "main/compare", lambda f: _printed(f, "compare", "X.npy", "X2.npy")),
)


def outcome(function: Callable[..., Any], *given: Any) -> Any:
    """Return what a call gives, plainly; an error in words."""
    try:
        return plain(function(*given))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def functions() -> dict[str, Any]:
    """Return the outcomes of all calls, made in a folder with files for those that read."""
    given = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.save("X.npy", X)
        np.save("X2.npy", X2)
        Path("words.json").write_text(json.dumps(WORDS))
        Path("run.txt").write_text("q0 Q0 d0 1 2.5 us\nq0 Q0 d1 2 1.5 us\nq1 Q0 d1 1 0.5 us\n")
        Path("qrels.txt").write_text("q0 0 d0 1\nq0 0 d1 0\nq1 0 d1 2\n")
        for module, names, call in CALLS:
            for name in names.split():
                function = find(f"{module}.{name.partition('/')[0]}")
                if function is None:
                    print(f"gone: {module}.{name}", file=sys.stderr)
                    continue
                given[f"{module}.{name}"] = outcome(call, function)
    return given


def plain(value: Any) -> Any:
    """Return a result as nested dictionaries and lists of numbers and texts."""
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, pd.DataFrame):
        return plain(value.reset_index().to_dict("list"))
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if hasattr(value, "get_xlabel"):
        return drawn(value)
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, Sequence) else str(value)


def drawn(ax: Any) -> dict[str, Any]:
    """Return the points and texts of a plot."""
    ax.figure.canvas.draw()
    found = {
        "texts": [
            one.get_text() for one in ax.findobj(lambda one: hasattr(one, "get_text")) if one.get_text()
        ],
        "lines": [line.get_xydata() for line in ax.lines],
        "points": [collection.get_offsets() for collection in ax.collections],
        "areas": [path.vertices for collection in ax.collections for path in collection.get_paths()],
        "patches": [patch.get_path().vertices for patch in ax.patches],
        "images": [image.get_array() for image in ax.images],
    }
    return {name: plain(value) for name, value in found.items()}


# --- write and compare --------------------------------------------------------------------------------------


def ledger() -> dict[str, Any]:
    """Return the written verdict and the computed outcome of each claim and erratum."""
    book = importlib.import_module("reanalyses.ledger")
    return {
        "claims": {
            one.id: {"verdict": one.verdict, "outcome": outcome(book.recompute, one)} for one in book.load()
        },
        "errata": {one.id: outcome(book.recompute_erratum, one) for one in book.load_errata()},
    }


def numbers(value: Any) -> Any:
    """Return a number or a rectangle of numbers as an array; None if it is neither."""
    try:
        found = np.asarray(value)
    except ValueError:  # rows of unequal length
        return None
    return found.astype(float) if found.dtype.kind in "biuf" else None


def changes(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the changed words of two lists of lines as [-before-] {+after+}, with some words around them."""
    found = []
    # Pages have too many words to compare all with all: changed lines first, with one line around them.
    for lines in SequenceMatcher(None, old, new).get_grouped_opcodes(1):
        before = " / ".join(old[lines[0][1] : lines[-1][2]]).split()
        after = " / ".join(new[lines[0][3] : lines[-1][4]]).split()
        for words in SequenceMatcher(None, before, after).get_grouped_opcodes(5):
            parts = []
            for kind, start, stop, new_start, new_stop in words:
                was, now = " ".join(before[start:stop]), " ".join(after[new_start:new_stop])
                parts += (
                    [was] if kind == "equal" else [f"[-{was}-]"] * bool(was) + [f"{{+{now}+}}"] * bool(now)
                )
            found.append(" ".join(parts))
    return found


def compare(old: Any, new: Any, name: str) -> Iterator[str]:
    """Yield a line for each thing that vanished, appeared or moved."""
    before, after = numbers(old), numbers(new)
    if isinstance(old, dict) and isinstance(new, dict):
        yield from (f"vanished: {name} {key}" for key in old if key not in new)
        yield from (f"appeared: {name} {key}" for key in new if key not in old)
        for key in old:
            if key in new:
                yield from compare(old[key], new[key], f"{name} {key}")
    elif before is not None and after is not None and before.shape == after.shape:
        moved = ~np.isclose(after, before, rtol=RTOL, atol=ATOL, equal_nan=True)
        if moved.any():
            place = tuple(map(int, np.argwhere(moved)[0]))
            where = f" ({moved.sum()} of {moved.size} numbers, first at {list(place)})" if place else ""
            yield f"moved: {name}: {float(before[place])} → {float(after[place])}{where}"
    elif name.startswith("pages "):
        yield from (f"moved: {name}: {text}" for text in changes(old, new))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from compare(one, other, f"{name} {number}")
    elif isinstance(old, str) and isinstance(new, str):
        yield from (f"moved: {name}: {text}" for text in changes([old], [new]))
    elif old != new:
        yield f"moved: {name}: {str(old)[:100]} → {str(new)[:100]}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write goldens, or print what differs between two files; return 1 if anything does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write", help="write the goldens of the code that Python imports")
    write.add_argument("file", type=Path)
    write.add_argument("--site", type=Path, help="folder of a built site (default: no pages)")
    write.add_argument(
        "--no-ledger", action="store_true", help="leave out the claims and errata, which take minutes"
    )
    read = commands.add_parser("compare", help="list what vanished, appeared or moved")
    read.add_argument("old", type=Path)
    read.add_argument("new", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "write":
        print(f"goldens of {importlib.import_module('isotropy_lab').__file__}")
        goldens = {"functions": functions()}
        goldens |= {} if options.no_ledger else ledger()
        goldens |= {"pages": pages(options.site)} if options.site else {}
        options.file.write_text(json.dumps(goldens, ensure_ascii=False, indent=0), encoding="utf-8")
        return 0
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (options.old, options.new))
    found = []
    for part in ("functions", "claims", "errata", "pages"):
        if part in old and part in new:
            found += compare(old[part], new[part], part)
        elif part in old or part in new:
            print(f"not compared, as only one file has them: {part}")
    print(*found, f"differences: {len(found)}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
