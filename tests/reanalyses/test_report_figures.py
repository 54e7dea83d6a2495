"""Figures about report cards: they obey the rules, and draw what stands on the cards."""

import numpy as np
import pytest

from isotropy_report import report_card
from reanalyses.report import figures
from tests.reanalyses.figure_rules import assert_drawn_and_clear

PAIRS = {"any pair": np.linspace(-0.2, 0.41, 100), "right pair": np.linspace(0.3, 0.93, 50)}


@pytest.fixture(scope="module")
def cards():
    rng = np.random.default_rng(0)
    clouds = {"ball": rng.standard_normal((200, 8)), "needle": rng.standard_normal((90, 5)) * [5, 1, 1, 1, 1]}
    return [report_card(X, name=name, transformations=False) for name, X in clouds.items()]


@pytest.fixture(scope="module")
def drawn(cards):
    return {
        "intervals": figures.intervals(cards, "isoscore_corrected", also="isoscore"),
        "spectra": figures.spectra(cards),
        "cosines": figures.cosines(PAIRS),
    }


def test_every_figure_is_drawn_and_clear(drawn):
    assert_drawn_and_clear(drawn, figures.__all__)


def test_intervals_are_those_of_the_cards(drawn, cards):
    (ax,) = drawn["intervals"].axes
    (bars,) = ax.containers
    lines = [card.line("isoscore_corrected") for card in cards]
    np.testing.assert_allclose(bars.lines[0].get_xdata(), [line.value for line in lines])
    ends = np.array([segment[:, 0] for segment in bars.lines[2][0].get_segments()])
    np.testing.assert_allclose(ends, [[line.low, line.high] for line in lines])
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), [card.value("isoscore") for card in cards])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["ball", "needle"]
    assert bars.lines[0].get_ydata()[0] > bars.lines[0].get_ydata()[1]  # the first card on top
