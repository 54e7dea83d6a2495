"""Plots of one's own data: what is drawn is what the measures say, and bad input is refused in words."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from isotropy_lab import association, isotropy, plots, projection, retrieval

mpl.use("agg")
R = np.random.default_rng(0)
X = R.standard_normal((60, 5)) * [5, 3, 2, 1, 1]
Y = X[:, :2] + 0.1 * R.standard_normal((60, 2))
DOCUMENTS = R.standard_normal((50, 8))
QUESTIONS = DOCUMENTS[:20] + 0.8 * R.standard_normal((20, 8))
RANKS = retrieval.answer_ranks(QUESTIONS, DOCUMENTS, range(20))
TOP = retrieval.top_k(QUESTIONS, DOCUMENTS, 10)
LISTS = R.standard_normal((4, 6, 8))

DRAWN = {
    "spectrum": lambda ax: plots.spectrum({"a": X, "b": Y}, ax=ax),
    "scatter": lambda ax: plots.scatter(Y, labels=np.arange(60) % 3, ax=ax),
    "components": lambda ax: plots.components(X, ax=ax),
    "cosines": lambda ax: plots.cosines({"a": X, "b": X + 5}, n_pairs=500, rng=0, ax=ax),
    "scores_by_layer": lambda ax: plots.scores_by_layer([X, X + 3], ax=ax),
    "shepard_diagram": lambda ax: plots.shepard_diagram(X, Y, ax=ax),
    "stress_curve": lambda ax: plots.stress_curve(X, {"a": Y, "b": 3 * X[:, 1:3]}, ax=ax),
    "kl_curve": lambda ax: plots.kl_curve(X, {"a": Y}, perplexity=5, ax=ax),
    "similarity_densities": lambda ax: plots.similarity_densities(
        retrieval.similarity_samples(QUESTIONS, DOCUMENTS, range(20), k=5, rng=0), ax=ax
    ),
    "threshold_curve": lambda ax: plots.threshold_curve(TOP, RANKS, ax=ax),
    "accuracy_curve": lambda ax: plots.accuracy_curve({"a": RANKS, "b": RANKS + 1}, ax=ax),
    "intervals": lambda ax: plots.intervals({"a": isotropy.isoscore_interval(X)}, reference=0.5, ax=ax),
    "word_associations": lambda ax: plots.word_associations(*LISTS, words=list("abcdefghijkl"), ax=ax),
}


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
    assert ax.get_ylabel() or name in ("scatter", "intervals", "word_associations")
    figure.canvas.draw()
    assert (np.asarray(figure.canvas.buffer_rgba())[..., :3] < 200).any(axis=-1).mean() > 0.005
    assert plt.get_fignums() == [figure.number]
    new = DRAWN[name](None)
    assert new.figure is not figure


@pytest.mark.parametrize("name", ["spectrum", "accuracy_curve", "stress_curve", "cosines"])
def test_series_differ_in_more_than_color(name):
    ax = DRAWN[name](None)
    marks = [
        (line.get_marker(), line.get_linestyle()) for line in ax.lines if line.get_label() in ("a", "b")
    ] or [patch.get_linestyle() for patch in ax.patches]
    assert len(set(marks)) == len(marks) == 2


def test_the_spectrum_is_that_of_the_covariance():
    line = plots.spectrum(X).lines[0]
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    np.testing.assert_allclose(line.get_ydata(), values / values.mean())
    share = np.asarray(line.get_ydata()) / 5
    assert isotropy.dimensions_used(X) == pytest.approx(1 / (share**2).sum())


def test_components_are_the_principal_ones():
    drawn = np.column_stack(plots.components(X).lines[0].get_data())
    values = np.sort(np.linalg.eigvalsh(np.cov(X.T)))[::-1]
    np.testing.assert_allclose(drawn.var(axis=0, ddof=1), values[:2])


def test_the_mean_of_the_cosines_is_near_the_exact_one():
    ax = plots.cosines(X + 5, n_pairs=20_000, rng=0)
    assert ax.lines[0].get_xdata()[0] == pytest.approx(isotropy.average_cosine(X + 5), abs=0.01)


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


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: plots.spectrum(np.ones((3, 2))), ValueError, "X has no variance"),
        (lambda: plots.spectrum({}), ValueError, "the mapping is empty"),
        (lambda: plots.scatter(X), ValueError, "Y has 5 columns; expected 2"),
        (lambda: plots.scatter(Y, labels=[1, 2]), ValueError, "labels has length 2 and Y 60 rows"),
        (lambda: plots.components(X[:, :1]), ValueError, "fewer than 2 dimensions"),
        (lambda: plots.cosines(np.vstack([X, 0 * X[0]])), ValueError, "a row of zeros"),
        (lambda: plots.scores_by_layer([]), ValueError, "layers is empty"),
        (lambda: plots.scores_by_layer([X], scores=["isoscor"]), ValueError, "scores has 'isoscor'"),
        (lambda: plots.shepard_diagram(X, Y[:-1]), ValueError, "X has 60 rows and Y 59"),
        (lambda: plots.accuracy_curve([0, 1]), ValueError, "all of them ≥ 1"),
        (lambda: plots.intervals({"a": 0.5}), TypeError, "a is a float; expected a result"),
        (lambda: plots.word_associations(*LISTS, words=["a"]), ValueError, "words has 1 names; expected 12"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_many_labels_and_many_points():
    points = R.standard_normal((12_000, 2))
    ax = plots.scatter(points, labels=np.arange(12_000) % 13)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(names) == 11
    assert "3 others" in names
    assert sum(len(line.get_xdata()) for line in ax.lines) == 4_000


def test_without_matplotlib_the_message_says_what_to_install():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from isotropy_lab import plots\n"
        "try: plots.spectrum([[0., 1.], [1., 0.]])\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "isotropy-lab[plots]" in done.stdout
