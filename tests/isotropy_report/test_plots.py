"""Plots of one's own data: what is drawn is what the measures say, and bad input is refused in words."""

import dataclasses

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from isotropy_lab import isotropy
from isotropy_report import compare, measures, plots
from tests.isotropy_lab.bad_input import assert_refused

mpl.use("agg")
R = np.random.default_rng(0)
X = R.standard_normal((60, 5)) * [5, 3, 2, 1, 1]
Y = X[:, :2] + 0.1 * R.standard_normal((60, 2))

WIDE = R.standard_normal((120, 24)) * np.linspace(1, 3, 24)
MODELS = {"a": WIDE, "b": WIDE + 0.5 * R.standard_normal(WIDE.shape), "c": WIDE * np.arange(1, 25)}
COMPARED = compare(
    MODELS,
    questions={name: X[:30] + 0.5 for name, X in MODELS.items()},
    gold=range(30),
    rng=0,
    pictures=False,
)
COSTS = measures.compression_costs(WIDE, questions=WIDE[:30] + 0.5, gold=range(30), rng=0)
UNASKED = measures.compression_costs(WIDE)
DRIFT = measures.drift_test(WIDE[:50], WIDE[50:] + 0.3, keep_null=True, rng=0)

DRAWN = {
    "spectrum": lambda ax: plots.spectrum({"a": X, "b": Y}, ax=ax),
    "agreement": lambda ax: plots.agreement(COMPARED, ax=ax),
    "differences": lambda ax: plots.differences(COMPARED, "accuracy@10", ax=ax),
    "compression_costs": lambda ax: plots.compression_costs(COSTS, ax=ax),
    "drift": lambda ax: plots.drift(DRIFT, ax=ax),
}

NAMED = {"agreement", "differences"}
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
    assert ax.get_xlabel()
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
        (ValueError, "questions", lambda: plots.compression_costs(UNASKED, loss="accuracy")),
        (ValueError, "null distribution", lambda: plots.drift(measures.drift_test(X, X))),
        (ValueError, "X variance", lambda: plots.spectrum(np.ones((3, 2)))),
        (ValueError, "empty", lambda: plots.spectrum({})),
    ],
)  # fmt: skip
def test_bad_input_is_named(error, says, call):
    assert_refused(error, says, call)
