"""The measures with their inputs, and the sizes that are made to grow: one line or two for each measure."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from isotropy_lab import association, comparison, isotropy, moments, projection, retrieval

Sizes = dict[str, int]
Call = Callable[[], Any]

MODULES = {
    "isotropy": isotropy,
    "association": association,
    "projection": projection,
    "retrieval": retrieval,
    "comparison": comparison,
    "moments": moments,
}


@dataclass(frozen=True)
class Case:
    """A measure with options, what it is given at any sizes, and the sizes over which it is measured.

    Attributes
    ----------
    name, option : str
        The measure, and in words how it is called if not by default.
    make : callable
        Sizes to the call that is timed.
    axes : mapping
        For each size that grows, the first and the last value; it is doubled until a call takes long enough.
    sizes : mapping
        The values of all sizes that do not grow.
    memory : str
        Formula of what it takes beside arguments, as in `costs`.
    words : str
        What the docstring says of it; "" if nothing: then arguments and results bound it.
    tiles : float
        Megabytes that the docstring grants whatever the sizes; growth below says nothing.
    derived : mapping
        Sizes of the formulas that follow from others.
    without : tuple of str
        Formulas of the docstring that are about other options.
    """

    name: str
    make: Callable[[Sizes], Call]
    axes: Mapping[str, tuple[int, int]]
    sizes: Mapping[str, int]
    memory: str
    words: str = ""
    tiles: float = 1.0
    option: str = ""
    derived: Mapping[str, Callable[[Sizes], int]] = field(default_factory=lambda: MappingProxyType({}))
    without: tuple[str, ...] = ()

    def at(self, axis: str, size: int) -> Sizes:
        """Return all sizes where one of them has grown to a value."""
        found = {**self.sizes, axis: size}
        for name, derive in self.derived.items():
            found[name] = derive(found)
        return found


def measures() -> dict[str, Callable[..., Any]]:
    """Return the public functions of all wings; under "LinearAdapter.fit" the class, whose docstring has the cost."""
    found = {
        name: getattr(module, name)
        for module in MODULES.values()
        for name in module.__all__
        if callable(getattr(module, name)) and not isinstance(getattr(module, name), type)
    }
    return found | {"LinearAdapter.fit": retrieval.LinearAdapter}


def wing(name: str) -> str:
    """Return the wing that a measure belongs to."""
    return next(key for key, module in MODULES.items() if name.split(".")[0] in module.__all__)


# --- inputs -------------------------------------------------------------------------------------------------------


def cloud(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Return points away from the origin whose axes differ in length, in float64."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, columns)) * np.linspace(1.0, 2.0, columns) + 0.3


def _over(function: Callable[..., Any], *shapes: tuple[str, str], **options: Any) -> Callable[[Sizes], Call]:
    """Give a function clouds whose rows and columns are named sizes, and options that may be named sizes, too."""

    def make(s: Sizes) -> Call:
        clouds = [cloud(s[rows], s[columns], seed) for seed, (rows, columns) in enumerate(shapes)]
        given = {key: s[value[1:]] if _is_size(value) else value for key, value in options.items()}
        return lambda: function(*clouds, **given)

    return make


def _is_size(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("#")


def _projection(function: Callable[..., Any], *more: Any, **options: Any) -> Callable[[Sizes], Call]:
    """Give a function points and their projection on the first t axes, a little disturbed."""

    def make(s: Sizes) -> Call:
        X = cloud(s["N"], s["n"])
        Y = X[:, : s["t"]] + 0.5 * np.random.default_rng(1).standard_normal((s["N"], s["t"]))
        given = {key: s[value[1:]] if _is_size(value) else value for key, value in options.items()}
        rest = [np.geomspace(0.1, 10.0, s[value[1:]]) if _is_size(value) else value for value in more]
        return lambda: function(X, Y, *rest, **given)

    return make


def _search(
    function: Callable[..., Any], *, relevant: bool = False, **options: Any
) -> Callable[[Sizes], Call]:
    """Give a function questions near their documents, the documents, and which is right."""

    def make(s: Sizes) -> Call:
        rng = np.random.default_rng(0)
        D = cloud(s["N"], s["n"])
        gold = rng.integers(s["N"], size=s["Q"])
        Q = D[gold] + rng.standard_normal((s["Q"], s["n"]))
        given = {key: s[value[1:]] if _is_size(value) else value for key, value in options.items()}
        if relevant:
            gold = (gold[:, None] + np.arange(s["k"])) % s["N"]
        return lambda: function(Q, D, gold, **given)

    return make


def _ranks(n_questions: int, seed: int = 0) -> np.ndarray:
    return np.minimum(np.random.default_rng(seed).geometric(0.05, size=n_questions), 1000)


def _several(n_questions: int, k: int) -> retrieval.RelevantRanks:
    """Return ranks of k relevant documents of each question."""
    ranks = np.cumsum(np.random.default_rng(0).integers(1, 5, size=(n_questions, k)), axis=1)
    ones = np.ones_like(ranks)
    return retrieval.RelevantRanks(ranks, ones, ranks)


def _bootstrap(function: Callable[..., Any], **options: Any) -> Callable[[Sizes], Call]:
    def make(s: Sizes) -> Call:
        ranks = _ranks(s["Q"])
        given = {key: s[value[1:]] if _is_size(value) else value for key, value in options.items()}
        return lambda: function(ranks, n_resamples=s["m"], rng=0, **given)

    return make


def _compare(s: Sizes) -> Call:
    a, b = _ranks(s["Q"]), _ranks(s["Q"], 1)
    return lambda: retrieval.compare_models(a, b, n_resamples=s["m"], k=s["K"], rng=0)


def _compare_all(s: Sizes) -> Call:
    models = {f"model {i}": _ranks(s["Q"], i) for i in range(s["models"])}
    return lambda: retrieval.compare_all_models(
        models, baseline="model 0", n_resamples=s["m"], k=s["K"], rng=0
    )


def _similarities(s: Sizes) -> tuple[np.ndarray, np.ndarray]:
    values = -np.sort(-np.random.default_rng(0).uniform(0.1, 0.9, size=(s["Q"], s["K"])), axis=1)
    return values, np.arange(s["Q"]) % (s["K"] + 3) + 1


def _thresholds(function: Callable[..., Any], *more: Any, **options: Any) -> Callable[[Sizes], Call]:
    def make(s: Sizes) -> Call:
        given = {
            key: s[value[1:]] if _is_size(value) else value(s) if callable(value) else value
            for key, value in options.items()
        }
        both = _similarities(s)[: 1 if function is retrieval.threshold_percentile else 2]
        return lambda: function(*both, *more, **given)

    return make


def _percentiles(s: Sizes) -> np.ndarray:
    return np.linspace(1.0, 60.0, s["T"])


def _samples(s: Sizes) -> retrieval.SimilaritySamples:
    Q, N = s["Q"], 64 + s["k"]
    documents = cloud(N, 8)
    gold = np.arange(Q) % N
    questions = documents[gold] + np.random.default_rng(1).standard_normal((Q, 8))
    return retrieval.similarity_samples(questions, documents, gold, k=s["k"], rng=0)


def _on_samples(function: Callable[..., Any], *more: Any, **options: Any) -> Callable[[Sizes], Call]:
    def make(s: Sizes) -> Call:
        samples = _samples(s)
        given = {
            key: s[value[1:]] if _is_size(value) else value(s) if callable(value) else value
            for key, value in options.items()
        }
        return lambda: function(samples, *more, **given)

    return make


def _separations(s: Sizes) -> Call:
    other = cloud(64, 8, 2) + 1.0
    found = [retrieval.separation(cloud(s["N"], 8, seed), other) for seed in (0, 1)]
    return lambda: retrieval.compare_separation(*found, n_resamples=s["n_resamples"], rng=0)


def _fit(s: Sizes) -> Call:
    # Independent of the data's difficulty: one step, so that what grows is a step and not how many there are.
    call = _search(lambda Q, D, gold: (Q, D, gold))(s)
    Q, D, gold = call()
    return lambda: retrieval.LinearAdapter(strength=1.0).fit(Q, D, gold)


def _crossed(s: Sizes) -> Call:
    D = cloud(s["N"], s["n"])
    gold = np.arange(s["Q"]) % s["N"]
    Q = D[gold] + np.random.default_rng(0).standard_normal((s["Q"], s["n"]))
    adapter = retrieval.LinearAdapter(strength=1.0)
    return lambda: retrieval.cross_fitted(Q, D, gold, gold % s["F"], adapter=adapter)


def _run(lines: int, per_question: int = 32) -> dict[str, dict[str, float]]:
    """Return a run of so many lines."""
    scores = np.random.default_rng(0).permutation(lines) / lines
    found: dict[str, dict[str, float]] = {}
    for i, score in enumerate(scores.tolist()):
        found.setdefault(f"q{i // per_question}", {})[f"d{i}"] = score
    return found


def _qrels(lines: int, per_question: int = 32) -> dict[str, dict[str, int]]:
    return {
        question: {document: i % 2 for i, document in enumerate(documents)}
        for question, documents in _run(lines, per_question).items()
    }


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


def _file(
    function: Callable[..., Any], content: Callable[[int], Any], write: Callable[..., Any] | None = None
) -> Any:
    """Write a run or judgments of L lines, or read them after somebody has written them."""

    def make(s: Sizes) -> Call:
        data, path = content(s["L"]), Path(_folder().name) / f"{function.__name__}{os.getpid()}"
        if write is None:
            return lambda: function(data, path, overwrite=True)
        write(data, path, overwrite=True)
        return lambda: function(path)

    return make


def _gold_from_qrels(s: Sizes) -> Call:
    qrels = {f"q{i}": {f"d{j}": 1 for j in range(s["L"] // s["Q"])} for i in range(s["Q"])}
    documents = [f"d{j}" for j in range(s["N"])]
    return lambda: retrieval.gold_from_qrels(qrels, list(qrels), documents)


def _run_from_top_k(s: Sizes) -> Call:
    best = retrieval.top_k(cloud(s["Q"], 4), cloud(s["N"], 4, 1), s["k"])
    ids = [[f"{letter}{i}" for i in range(s[letter])] for letter in "QN"]
    return lambda: retrieval.run_from_top_k(best, *ids)


def _curves(s: Sizes) -> Call:
    X = cloud(64, 8)
    curves = {str(i): projection.stress_curve(X, cloud(64, 2, seed=i + 1), [1.0, 2.0]) for i in range(s["m"])}
    return lambda: projection.crossings(curves)


def _matched_pools(s: Sizes) -> Call:
    rng = np.random.default_rng(0)
    words, pool = rng.normal(size=s["k"]), rng.normal(size=s["N"])
    return lambda: association.matched_pools(words, pool)


def _spanning(s: Sizes) -> Call:
    spectrum = cloud(s["n"], 1)[:, 0] ** 2
    return lambda: isotropy.isoscore_from_eigenvalues(spectrum)


def _covariance(s: Sizes) -> Call:
    C = np.cov(cloud(2 * s["n"], s["n"]).T)
    return lambda: isotropy.isoscore_from_covariance(C)


# --- the cases ----------------------------------------------------------------------------------------------------


def _log2(name: str) -> Callable[[Sizes], int]:
    return lambda s: int(math.log2(s[name]))


X = ("N", "n")
_LISTS = {"k": (64, 2**16), "p": (64, 2**16)}
_POINTS = {"N": (1024, 2**17), "n": (16, 1024)}
_PLANE = {"N": 2048, "n": 64}
_WIDE: Any = {"axes": {"n": (256, 2**14)}, "sizes": {"N": 128}}
_K_AB = {"k_a": lambda s: s["k"], "k_b": lambda s: s["k"]}
_K_CD = {"k_c": lambda s: s["k"], "k_d": lambda s: s["k"]}
_WORDS = {"k": 64, "p": 64}
_SPANS = {"k": (16, 512), "p": (64, 2**15)}
_SPAN = {"k": 32, "p": 1024}
_OTHER = {"n'": lambda s: s["n"]}
_RANKED = {"Q": (256, 2**20), "m": (256, 2**20)}


def _isotropy(name: str, memory: str = "N n + n²", *, axes: Any = None, **more: Any) -> Case:
    option = more.pop("options", {})
    make = _over(getattr(isotropy, name), X, **option)
    return Case(name, make, axes or _POINTS, more.pop("sizes", _PLANE), memory, **more)


def _lists(
    name: str, n_lists: int = 2, memory: str = "k p", axes: Any = _LISTS, sizes: Any = _WORDS, **more: Any
) -> Case:
    options = more.pop("options", {})
    make = _over(getattr(association, name), *[("k", "p")] * n_lists, **options)
    return Case(name, make, axes, sizes, memory, derived=more.pop("derived", {}) | _K_AB | _K_CD, **more)


_PAIRS_AXES = {"N": (128, 2**13), "n": (16, 2**12)}
_PAIRS = {"N": 512, "n": 16, "t": 2}


def _pairs(name: str, memory: str = "N n", *rest: Any, axes: Any = None, **more: Any) -> Case:
    options = more.pop("options", {})
    make = _projection(getattr(projection, name), *rest, **options)
    return Case(name, make, _PAIRS_AXES | (axes or {}), _PAIRS | more.pop("sizes", {}), memory, **more)


_SEARCH_AXES = {"Q": (64, 2**15), "N": (256, 2**17), "n": (16, 2**12)}
_SEARCH = {"Q": 256, "N": 2048, "n": 32, "k": 10}

CASES: tuple[Case, ...] = (
    # isotropy
    Case("alignment", _over(isotropy.alignment, X, X), _POINTS, _PLANE, "N n"),
    _isotropy("average_cosine", "N n", without=("n_pairs n",)),
    _isotropy("average_cosine", option="random pairs", options={"n_pairs": "#n_pairs", "rng": 0},
              axes={"n_pairs": (1024, 2**20)}, sizes=_PLANE | {"n_pairs": 1024}, words="in blocks of some 70 MB", tiles=70),
    _isotropy("average_cosine_score", "N n", without=("n_pairs n",)),
    _isotropy("dimensions_used"),
    _isotropy("effective_rank", words="8 n² bytes for each"),
    _isotropy("effective_rank", "N n", option="N < n", **_WIDE),
    _isotropy("hubness", "N n", axes={"N": (256, 2**14), "n": (16, 2**12)}, sizes={"N": 1024, "n": 32},
              words="in tiles of some 60 MB", tiles=60),
    _isotropy("id_score", "N n", axes={"N": (256, 2**14), "n": (16, 2**10), "queries": (64, 2048)},
              sizes={"N": 2048, "n": 64, "queries": 256}, words="cost are those of `intrinsic_dimension`", tiles=70, options={"n_queries": "#queries", "rng": 0}),
    _isotropy("intrinsic_dimension", "N n", axes={"N": (256, 2**14), "n": (16, 2**10), "queries": (64, 2048)},
              sizes={"N": 2048, "n": 64, "queries": 256}, words="in tiles of some 60 MB", tiles=70, options={"n_queries": "#queries", "rng": 0}),
    _isotropy("isoscore", words="with the memory of `isotropy_lab.moments.moments`", tiles=33),
    _isotropy("isoscore", "N n", option="N < n", **_WIDE),
    Case("isoscore_from_covariance", _covariance, {"n": (32, 2048)}, {}, "n²"),
    Case("isoscore_from_eigenvalues", _spanning, {"n": (2**10, 2**23)}, {}, "n"),
    _isotropy("isoscore_interval"),
    _isotropy("isoscore_interval", "N n", option="N < n", **_WIDE),
    _isotropy("isotropy_defect"),
    _isotropy("isotropy_scores", axes={"N": (256, 2**13), "n": (16, 2**9)}, sizes={"N": 1024, "n": 64}, tiles=60,
              derived={"queries": lambda s: s["N"]}),
    _isotropy("partition_score", words="some copies of X and of XᵀX"),
    _isotropy("partition_score_second_order", words="some copies of X and of XᵀX"),
    _isotropy("rankme"),
    _isotropy("spectrum_decay", axes=_POINTS | {"n": (64, 1024)}),
    _isotropy("uniformity", "N n", axes={"N": (256, 2**14), "n": (16, 2**12)}, sizes={"N": 1024, "n": 32},
              words="in four tiles of 8 MB", tiles=34, without=("n_pairs n",)),
    _isotropy("uniformity", option="random pairs", options={"n_pairs": "#n_pairs", "rng": 0},
              axes={"n_pairs": (2**13, 2**20)}, sizes={"N": 2048, "n": 64, "n_pairs": 2**13}, memory="n_pairs n",
              without=("N² n",)),
    _isotropy("varex_score"),
    _isotropy("varex_score", "N n", option="N < n", **_WIDE),
    # association
    _lists("between_lattice", axes={"k": (6, 96), "p": (64, 2**15)}, sizes={"k": 16, "p": 64}, memory="m² + k p",
           options={"q": 2}, derived={"m": lambda s: math.comb(s["k"], 2)}, without=("m² k²",)),
    _lists("canonical_congruences", axes=_SPANS, sizes=_SPAN),
    _lists("canonical_similarity", axes=_SPANS, sizes=_SPAN),
    _lists("centroid_mean_cosine_similarity"),
    _lists("condition_numbers", 1, axes=_SPANS, sizes=_SPAN),
    _lists("consistency_index", 1, axes={"sublists": (2**8, 2**24), "p": (64, 2**16)}, sizes={"p": 64, "sublists": 2**10},
           options={"q": "#q"}, memory="sublists + k p", derived={"k": _log2("sublists"), "q": lambda s: s["k"] // 2}),
    _lists("consistency_profile", 1, axes={"sublists": (2**8, 2**24)}, sizes={"p": 64}, memory="sublists + k p",
           derived={"k": _log2("sublists")}),
    _lists("corrected_canonical_similarity", axes=_SPANS, sizes=_SPAN),
    _lists("cosine_similarities", axes={"k": (64, 4096), "p": (64, 2**16)}, memory="k² + k p"),
    Case("matched_pools", _matched_pools, {"k": (16, 2**13), "N": (256, 2**20)}, {"k": 64, "N": 4096}, "k N"),
    _lists("mean_cosine_similarity"),
    _lists("normalized_mean_cosine_similarity"),
    Case("null_intervals", _over(association.null_intervals, ("k", "p"), ("k", "p"), ("N", "p"),
                                 n_resamples="#n_resamples", rng=0),
         {"n_resamples": (64, 2**14), "k": (4, 64), "p": (32, 2048)},
         {"n_resamples": 256, "k": 8, "p": 128, "N": 1024}, "n_resamples k + N p", without=("n_resamples·N p",)),
    _lists("paired_mean_cosine_similarity"),
    Case("random_baseline", lambda s: lambda: association.random_baseline(4, 5, s["p"]),
         {"p": (2**5, 2**12)}, {}, "1"),
    _lists("subset_similarities", 1, axes={"k": (6, 96), "p": (64, 2**15)}, sizes={"k": 16, "p": 64}, memory="m² + k p",
           options={"q": 2}, derived={"m": lambda s: math.comb(s["k"], 2)}, without=("m² k²",)),
    _lists("subset_similarities", 1, axes={"k": (6, 96), "p": (64, 2**15)}, sizes={"k": 16, "p": 64}, memory="m² + k p",
           option="canonical", options={"q": 2, "similarity": "canonical"},
           derived={"m": lambda s: math.comb(s["k"], 2)}),
    _lists("weat", 4),
    _lists("weat_effect_size", 4),
    _lists("weat_permutation_test", 4, axes={"sublists": (2**5, 2**22)}, sizes={"p": 64}, memory="sublists",
           derived={"k": _log2("sublists")}, without=("m k",)),
    _lists("weat_permutation_test", 4, option="divisions at random",
           axes={"m": (256, 2**19), "k": (8, 1024)}, sizes={"p": 64, "k": 8, "m": 1024},
           options={"n_resamples": "#m", "rng": 0}, memory="m k", without=("2^k",)),
    _lists("word_associations", 3),
    # projection
    Case("affinities", _over(projection.affinities, X), _PAIRS_AXES, _PAIRS, "N² + N n", "8·N² bytes for the result"),
    Case("crossings", _curves, {"m": (4, 512)}, {}, "m²"),
    _pairs("forced_scale_kl", "N² + N n"),
    _pairs("forced_scale_stress"),
    _pairs("kl_at_infinity", "N² + N n"),
    _pairs("kl_curve", "N² + N n", "#S", axes={"S": (8, 512)}, sizes={"S": 16}),
    _pairs("kl_divergence", "N² + N n", words="8·N² bytes for P"),
    _pairs("kl_gradient", "N² + N n"),
    _pairs("nonmetric_estimate", "n_pairs + N n", axes={"N": (4096, 2**18), "n": (16, 2**9), "n_pairs": (2**12, 2**20)},
           sizes={"N": 2**14, "n_pairs": 2**14}, options={"n_pairs": "#n_pairs", "rng": 0}),
    _pairs("nonmetric_stress", "N²"),
    _pairs("neighborhood_curve", "N n", words="some 100 MB for each thread", tiles=100,
           derived={"n_rows": lambda s: s["N"]}),
    _pairs("neighborhood_scores", "N n", words="Memory is as there", tiles=150,
           without=("n_rows · N (n + t)",)),
    _pairs("normalized_stress"),
    _pairs("optimal_scale"),
    _pairs("continuity", "N n", words="that of `trustworthiness`", tiles=150),
    _pairs("projection_quality", "N²", words="some 40·N² bytes"),
    _pairs("rank_scores", "N²"),
    _pairs("pair_sums", words="that of `raw_stress`"),
    _pairs("pair_sums", option="products in float32", options={"precision": "float32"}, words="that of `raw_stress`"),
    _pairs("raw_stress", words="a megabyte for each thread and, from 32 dimensions on, a copy of the points"),
    _pairs("scale_normalized_kl", "N² + N n", words="8·N² bytes for P"),
    _pairs("scale_normalized_stress"),
    _pairs("shepard_estimate", "n_pairs + N n", axes={"N": (4096, 2**18), "n": (16, 2**9), "n_pairs": (2**12, 2**20)},
           sizes={"N": 2**14, "n_pairs": 2**14}, options={"n_pairs": "#n_pairs", "rng": 0},
           words="60 bytes for each pair"),
    _pairs("shepard_goodness", "N²"),
    _pairs("trustworthiness", "N n", words="at most 150 MB", tiles=150),
    _pairs("stress_curve", "N n", "#S", axes={"S": (64, 2**16)}, sizes={"S": 64}),
    _pairs("stress_estimate", "n_pairs + N n", axes={"N": (4096, 2**18), "n": (16, 2**9), "n_pairs": (2**12, 2**20)},
           sizes={"N": 2**14, "n_pairs": 2**14}, options={"n_pairs": "#n_pairs", "rng": 0},
           words="16 bytes for each pair"),
    # retrieval
    Case("answer_ranks", _search(retrieval.answer_ranks), _SEARCH_AXES, _SEARCH, "Q n",
         "40 MB beside the arguments and a float32 copy of the questions", 40),
    Case("bootstrap_accuracy", _bootstrap(retrieval.bootstrap_accuracy, k="#K"), _RANKED | {"K": (8, 64)},
         {"Q": 1024, "m": 4096, "K": 10}, "Q + m", "24 MB", 27),
    Case("bootstrap_map", _bootstrap(retrieval.bootstrap_map), _RANKED, {"Q": 1024, "m": 2048}, "Q + m", "24 MB", 27),
    Case("bootstrap_mrr", _bootstrap(retrieval.bootstrap_mrr), _RANKED, {"Q": 1024, "m": 2048}, "Q + m", "24 MB", 27),
    Case("bootstrap_ndcg", _bootstrap(retrieval.bootstrap_ndcg, k="#K"), _RANKED | {"K": (8, 64)},
         {"Q": 1024, "m": 4096, "K": 10}, "Q + m", "24 MB", 27),
    Case("bootstrap_recall", _bootstrap(retrieval.bootstrap_recall, k="#K"), _RANKED | {"K": (8, 64)},
         {"Q": 1024, "m": 4096, "K": 10}, "Q + m", "24 MB", 27),
    Case("compare_all_models", _compare_all, {"Q": (256, 2**19), "models": (2, 16)},
         {"Q": 2048, "m": 1024, "K": 10, "models": 3, "C": 121}, "Q models + m", tiles=27,
         derived={"B": lambda s: s["models"] - 1}),
    Case("compare_models", _compare, {"Q": (256, 2**19), "m": (256, 2**17)},
         {"Q": 2048, "m": 2048, "K": 10, "C": 121}, "Q + m", tiles=27),
    Case("compare_separation", _separations, {"N": (256, 2**12), "n_resamples": (256, 2**16)},
         {"N": 512, "n_resamples": 1024}, "N + n_resamples", tiles=16),
    Case("LinearAdapter.fit", _fit, {"Q": (64, 2**12), "N": (256, 2**14), "n": (16, 512)}, {"Q": 128, "N": 512, "n": 32},
         "Q n + N n + n²", tiles=24),
    Case("cross_fitted", _crossed, {"Q": (64, 2**12), "N": (256, 2**14), "F": (4, 32)},
         {"Q": 128, "N": 512, "n": 32, "F": 4}, "Q n + N n + n²", tiles=24),
    Case("duplicate_documents", _over(retrieval.duplicate_documents, X), {"N": (1024, 2**18), "n": (16, 2**11)},
         {"N": 4096, "n": 32}, "N n", "a copy of the documents"),
    Case("gold_from_qrels", _gold_from_qrels, {"Q": (64, 2**14), "N": (1024, 2**20), "L": (2**12, 2**20)},
         {"Q": 64, "N": 2**14, "L": 2**14}, "Q + N + L"),
    Case("overlap", _on_samples(retrieval.overlap, 50.0, n_resamples="#m", rng=0),
         {"Q": (64, 2**15), "k": (8, 512), "m": (64, 2**14)}, {"Q": 256, "k": 10, "m": 256}, "Q k + m", tiles=24),
    Case("overlap_curve", _on_samples(retrieval.overlap_curve, n_resamples="#m", psi=_percentiles, rng=0),
         {"Q": (64, 2**15), "m": (64, 2**14), "T": (8, 512)}, {"Q": 256, "k": 10, "m": 256, "T": 16},
         "Q k + m T", tiles=24),
    Case("pair_similarities", _search(retrieval.pair_similarities), {"Q": (256, 2**17), "n": (16, 2**12)},
         {"Q": 2048, "N": 2048, "n": 32, "k": 1}, "Q", "4 MB beside the arguments", 4),
    Case("question_scores", lambda s: (lambda r: lambda: retrieval.question_scores(r, "ndcg"))(_several(s["Q"], s["k"])),
         {"Q": (256, 2**18), "k": (2, 256)}, {"Q": 2048, "k": 4}, "Q k"),
    Case("questions_needed", lambda s: lambda: retrieval.questions_needed(1.0 / s["questions"], 0.5),
         {"questions": (16, 2**16)}, {}, "1"),
    Case("read_qrels", _file(retrieval.read_qrels, _qrels, retrieval.write_qrels), {"L": (2**10, 2**19)}, {}, "L"),
    Case("read_run", _file(retrieval.read_run, _run, retrieval.write_run), {"L": (2**10, 2**19)}, {}, "L"),
    Case("relevant_ranks", _search(retrieval.relevant_ranks, relevant=True), _SEARCH_AXES | {"k": (2, 64)}, _SEARCH,
         "Q n + Q k", "Memory as there", 40, without=("Q N n k",)),
    Case("run_from_top_k", _run_from_top_k, {"Q": (64, 2**16), "k": (8, 512), "N": (1024, 2**20)},
         {"Q": 256, "k": 10, "N": 1024}, "Q k + N"),
    Case("run_ranks", lambda s: (lambda run, qrels: lambda: retrieval.run_ranks(run, qrels))(_run(s["L"]), _qrels(s["L"])),
         {"L": (2**10, 2**19)}, {}, "L"),
    Case("score_at_threshold", _thresholds(retrieval.score_at_threshold, 0.5), {"Q": (256, 2**17), "K": (8, 2**12)},
         {"Q": 2048, "K": 10}, "Q K"),
    Case("separation", _over(retrieval.separation, ("N", "n_dimensions"), ("N'", "n_dimensions")),
         {"N": (128, 2**13), "N'": (256, 2**16), "n_dimensions": (16, 2**11)},
         {"N": 512, "N'": 1024, "n_dimensions": 32}, "N n_dimensions + N' n_dimensions",
         "16 MB beside float64 copies", 16),
    Case("similarity_densities", _on_samples(retrieval.similarity_densities, n_points="#n_points"),
         {"Q": (64, 2**14), "k": (8, 512), "n_points": (64, 2**14)}, {"Q": 256, "k": 10, "n_points": 256},
         "Q k + n_points", tiles=24),
    Case("similarity_samples", _search(retrieval.similarity_samples, rng=0), _SEARCH_AXES, _SEARCH, "Q n", tiles=40),
    Case("similarity_threshold", _thresholds(retrieval.similarity_threshold, n_resamples="#m", psi=_percentiles, margin=0.2, rng=0),
         {"Q": (256, 2**14), "m": (256, 2**14), "T": (8, 256)}, {"Q": 512, "K": 10, "m": 512, "T": 16, "C": 12},
         "Q K + m T", tiles=24),
    Case("threshold_curve", _thresholds(retrieval.threshold_curve, psi=_percentiles),
         {"Q": (256, 2**17), "K": (8, 2**11), "T": (8, 512)}, {"Q": 2048, "K": 10, "T": 16}, "Q K + T"),
    Case("threshold_percentile", _thresholds(retrieval.threshold_percentile, 40.0),
         {"Q": (256, 2**18), "K": (8, 2**12)}, {"Q": 2048, "K": 10}, "Q K"),
    Case("top_k", _search(lambda Q, D, gold, k: retrieval.top_k(Q, D, k), k="#k"), _SEARCH_AXES | {"k": (8, 512)},
         _SEARCH, "Q n + Q k", "memory as there", 40),
    Case("write_qrels", _file(retrieval.write_qrels, _qrels), {"L": (2**10, 2**19)}, {}, "L"),
    Case("write_run", _file(retrieval.write_run, _run), {"L": (2**10, 2**19)}, {}, "L"),
    # comparison
    Case("cka", _over(comparison.cka, X, X, n_resamples=0), {"N": (256, 2**16), "n": (16, 1024)},
         {"N": 2048, "n": 64}, "N n + n²", "one block of rows", 32, derived=_OTHER,
         without=("m",)),
    Case("cka", _over(comparison.cka, X, X, n_resamples="#m", rng=0), {"m": (32, 1024)},
         {"N": 512, "n": 32}, "1", tiles=40, option="with its test", derived=_OTHER),
    Case("compression_costs", _over(comparison.compression_costs, X, rng=0), {"M": (256, 2**13), "n": (16, 512)},
         {"M": 1024, "n": 32, "Q": 1}, "N n", tiles=60, derived={"N": lambda s: 2 * s["M"]}),
    Case("drift_power", _over(comparison.drift_power, X, X, n_splits=40, max_rows=2**14, rng=0),
         {"N": (64, 2048), "n": (16, 2**12)}, {"N": 128, "n": 16, "m": 40}, "N²",
         derived={"M": lambda s: s["N"]}),
    Case("drift_test", _over(comparison.drift_test, X, X, n_resamples="#m", max_rows=2**14, rng=0),
         {"N": (128, 4096), "n": (16, 2**13), "m": (64, 4096)}, {"N": 256, "n": 16, "m": 99}, "N²",
         "(N + M)² numbers", 30, derived={"M": lambda s: s["N"]}),
    Case("neighbor_overlap", _over(comparison.neighbor_overlap, X, X, k="#k"),
         {"N": (256, 2**13), "n": (16, 2**12), "k": (8, 512)}, {"N": 1024, "n": 16, "k": 10}, "N n + N k",
         "16 N k bytes", 60, derived=_OTHER),
    Case("procrustes_distance", _over(comparison.procrustes_distance, X, X, n_resamples="#m", rng=0),
         {"N": (2048, 2**17), "n": (16, 512), "m": (32, 512)}, {"N": 2048, "n": 64, "m": 20}, "N n + n²",
         "one block of rows", 64, derived=_OTHER),
    # moments
    Case("moments", _over(moments.moments, X), _POINTS, _PLANE, "N n",
         "one block and a few (n, n) matrices of extra memory", 33),
)  # fmt: skip
