"""Plots of one's own data: what is drawn is what the measures say, and bad input is refused in words."""

import dataclasses

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from isotropy_lab import association, isotropy, projection, retrieval
from isotropy_report import compare, measures, plots
from tests.isotropy_lab.bad_input import assert_refused

mpl.use("agg")
R = np.random.default_rng(0)
X = R.standard_normal((60, 5)) * [5, 3, 2, 1, 1]
Y = X[:, :2] + 0.1 * R.standard_normal((60, 2))
DOCUMENTS = R.standard_normal((50, 8))
QUESTIONS = DOCUMENTS[:20] + 0.8 * R.standard_normal((20, 8))
RANKS = retrieval.answer_ranks(QUESTIONS, DOCUMENTS, range(20))
TOP = retrieval.top_k(QUESTIONS, DOCUMENTS, 10)
LISTS = R.standard_normal((4, 6, 8))

WIDE = R.standard_normal((120, 24)) * np.linspace(1, 3, 24)
MODELS = {"a": WIDE, "b": WIDE + 0.5 * R.standard_normal(WIDE.shape), "c": WIDE * np.arange(1, 25)}
COMPARED = compare(
    MODELS,
    questions={name: X[:30] + 0.5 for name, X in MODELS.items()},
    gold=range(30),
    rng=0,
    pictures=False,
)
HUBS = measures.hubness(WIDE, metric="euclidean")
RANKED = {name: measures.effective_rank(X) for name, X in MODELS.items()}
COSTS = measures.compression_costs(WIDE, questions=WIDE[:30] + 0.5, gold=range(30), rng=0)
DRIFT = measures.drift_test(WIDE[:50], WIDE[50:] + 0.3, keep_null=True, rng=0)
POWER = measures.drift_power(WIDE[:50], WIDE[50:], rng=0)

DRAWN = {
    "spectrum": lambda ax: plots.spectrum({"a": X, "b": Y}, ax=ax),
    "scatter": lambda ax: plots.scatter(Y, labels=np.arange(60) % 3, ax=ax),
    "components": lambda ax: plots.components(X, ax=ax),
    "cosines": lambda ax: plots.cosines({"a": X, "b": X + 5}, n_pairs=500, rng=0, ax=ax),
    "scores_by_layer": lambda ax: plots.scores_by_layer([X, X + 3], ax=ax),
    "shepard_diagram": lambda ax: plots.shepard_diagram(X, Y, ax=ax),
    "neighborhood_curve": lambda ax: plots.neighborhood_curve(X, {"a": Y, "b": X[:, 1:3]}, n_rows=5, ax=ax),
    "stress_curve": lambda ax: plots.stress_curve(X, {"a": Y, "b": 3 * X[:, 1:3]}, ax=ax),
    "kl_curve": lambda ax: plots.kl_curve(X, {"a": Y}, perplexity=5, ax=ax),
    "similarity_densities": lambda ax: plots.similarity_densities(
        retrieval.similarity_samples(QUESTIONS, DOCUMENTS, range(20), k=5, rng=0), ax=ax
    ),
    "threshold_curve": lambda ax: plots.threshold_curve(TOP, RANKS, ax=ax),
    "accuracy_curve": lambda ax: plots.accuracy_curve({"a": RANKS, "b": RANKS + 1}, ax=ax),
    "intervals": lambda ax: plots.intervals({"a": isotropy.isoscore_interval(X)}, reference=0.5, ax=ax),
    "spectrum_decay": lambda ax: plots.spectrum_decay({"a": WIDE, "b": MODELS["c"]}, ax=ax),
    "effective_ranks": lambda ax: plots.effective_ranks(RANKED, ax=ax),
    "hubness": lambda ax: plots.hubness({"a": HUBS, "b": measures.hubness(WIDE)}, ax=ax),
    "agreement": lambda ax: plots.agreement(COMPARED, ax=ax),
    "differences": lambda ax: plots.differences(COMPARED, "accuracy@10", ax=ax),
    "compression_costs": lambda ax: plots.compression_costs(COSTS, ax=ax),
    "drift": lambda ax: plots.drift(DRIFT, ax=ax),
    "drift_power": lambda ax: plots.drift_power(POWER, ax=ax),
    "word_associations": lambda ax: plots.word_associations(*LISTS, words=list("abcdefghijkl"), ax=ax),
}

NAMED = {"scatter", "intervals", "word_associations", "effective_ranks", "agreement", "differences"}
"""What has names along the axis in place of a label."""


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_every_plot_is_tried():
    assert set(DRAWN) == set(plots.__all__) - {"PALETTE", "look"}


@pytest.mark.parametrize("name", DRAWN)
def test_a_plot_draws_on_the_axes_that_it_is_given_and_labels_both(name):
    figure, ax = plt.subplots()
    assert DRAWN[name](ax) is ax
    assert ax.get_xlabel() or name == "scatter"
    assert ax.get_ylabel() or name in NAMED
    figure.canvas.draw()
    assert (np.asarray(figure.canvas.buffer_rgba())[..., :3] < 200).any(axis=-1).mean() > 0.005
    assert plt.get_fignums() == [figure.number]
    new = DRAWN[name](None)
    assert new.figure is not figure


def test_the_spectrum_is_that_of_the_covariance():
    line = plots.spectrum(X).lines[0]
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    np.testing.assert_allclose(line.get_ydata(), values / values.mean())
    share = np.asarray(line.get_ydata()) / 5
    assert isotropy.dimensions_used(X) == pytest.approx(1 / (share**2).sum())


def test_the_shepard_line_is_the_fit_of_nonmetric_stress():
    points, line = plots.shepard_diagram(X, Y).lines
    d, e = map(np.asarray, points.get_data())
    fitted = np.asarray(line.get_ydata())
    assert len(d) == 60 * 59 // 2
    assert (np.diff(fitted) >= 0).all()
    residual = e[np.argsort(d)] - fitted
    stress = np.sqrt((residual**2).sum() / (e**2).sum())
    assert stress == pytest.approx(projection.nonmetric_stress(X, Y), rel=1e-5)


def test_marked_minima_are_the_scale_normalized_values():
    ax = plots.stress_curve(X, Y)
    assert ax.lines[1].get_ydata()[0] == projection.scale_normalized_stress(X, Y)
    assert np.asarray(ax.lines[0].get_ydata()).min() >= ax.lines[1].get_ydata()[0]
    ax = plots.kl_curve(X, Y, perplexity=5)
    assert ax.lines[1].get_ydata()[0] == projection.scale_normalized_kl(X, Y, perplexity=5).value


def test_accuracy_at_k_and_words():
    line = plots.accuracy_curve(RANKS, largest_k=5).lines[0]
    np.testing.assert_array_equal(line.get_ydata(), [(k >= RANKS).mean() for k in range(1, 6)])
    A, B, C, D = LISTS
    first = plots.word_associations(A, B, C, D).lines[0]
    np.testing.assert_array_equal(first.get_xdata(), association.word_associations(A, C, D))


def test_the_line_of_the_decay_has_its_exponent():
    ax = plots.spectrum_decay(MODELS["c"], ranks=(2, 12))
    eigenvalues, fit = (np.array(line.get_data()) for line in ax.lines)
    values = np.sort(np.linalg.eigvalsh(np.cov(MODELS["c"].T)))[::-1]
    np.testing.assert_allclose(eigenvalues[1], values / values[0])
    found = measures.spectrum_decay(MODELS["c"], ranks=(2, 12), n_groups=0)
    np.testing.assert_allclose(np.diff(np.log(fit[1])) / np.diff(np.log(fit[0])), -found.exponent)
    gaps = np.log(fit[1] / eigenvalues[1, 1:12])
    assert np.average(gaps, weights=1 / fit[0]) == pytest.approx(0, abs=1e-12)


def test_hubs_by_hand():
    x, share = plots.hubness(HUBS).lines[0].get_data()
    assert share.tolist() == [(HUBS.counts >= lists).mean() for lists in x]
    assert share[0] == pytest.approx(1 - HUBS.anti_hubs)
    assert x[-1] == HUBS.counts.max()


def test_the_matrix_holds_the_pairs():
    for measure, value in (
        ("overlap", lambda pair: pair.neighbors.overlap),
        ("cka", lambda pair: pair.cka.statistic),
        ("procrustes", lambda pair: pair.procrustes.distance),
    ):
        ax = plots.agreement(COMPARED, measure=measure)
        table = np.asarray(ax.images[0].get_array())
        assert table[0, 1] == table[1, 0] == value(COMPARED.pairs[0])
        assert table[1, 2] == value(COMPARED.pairs[2])
        assert ax.texts[1].get_text() == f"{table[0, 1]:.2f}"
    undefined = dataclasses.replace(COMPARED.pairs[0], cka=None)
    ax = plots.agreement(dataclasses.replace(COMPARED, pairs=(undefined, *COMPARED.pairs[1:])), measure="cka")
    assert ax.texts[1].get_text() == "–"


@pytest.mark.parametrize(
    ("error", "says", "call"),
    [
        (ValueError, "pairs", lambda: plots.agreement(dataclasses.replace(COMPARED, pairs=()))),
        (ValueError, "measure 'cca'", lambda: plots.agreement(COMPARED, measure="cca")),
        (ValueError, "measure 'isoscor'", lambda: plots.differences(COMPARED, "isoscor")),
        (ValueError, "questions", lambda: plots.compression_costs(measures.compression_costs(WIDE), loss="accuracy")),
        (ValueError, "null distribution", lambda: plots.drift(measures.drift_test(X, X))),
        (ValueError, "X variance", lambda: plots.spectrum(np.ones((3, 2)))),
        (ValueError, "empty", lambda: plots.spectrum({})),
        (ValueError, "Y 5 2", lambda: plots.scatter(X)),
        (ValueError, "labels 2 Y 60", lambda: plots.scatter(Y, labels=[1, 2])),
        (ValueError, "2 dimensions", lambda: plots.components(X[:, :1])),
        (ValueError, "zeros", lambda: plots.cosines(np.vstack([X, 0 * X[0]]))),
        (ValueError, "layers empty", lambda: plots.scores_by_layer([])),
        (ValueError, "scores 'isoscor'", lambda: plots.scores_by_layer([X], scores=["isoscor"])),
        (ValueError, "X 60 Y 59", lambda: plots.shepard_diagram(X, Y[1:])),
        (ValueError, "1", lambda: plots.accuracy_curve([0, 1])),
        (TypeError, "a float result", lambda: plots.intervals({"a": 0.5})),
        (ValueError, "words 1 12", lambda: plots.word_associations(*LISTS, words=["a"])),
    ],
)  # fmt: skip
def test_bad_input_is_named(error, says, call):
    assert_refused(error, says, call)
