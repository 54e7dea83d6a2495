"""Tests of the style: visible colors in both themes, one per item, and figures that fit a page."""

import re
from xml.etree import ElementTree

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from reanalyses import style

#: The pages' grounds, light and dark: those of sphinx-book-theme and the raised ones of pydata-sphinx-theme.
GROUNDS = ("#ffffff", "#121212", "#14181e")


def luminance(color: str) -> float:
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("ground", GROUNDS)
def test_every_color_can_be_seen_on_either_ground(ground):
    assert {color: contrast(color, ground) for color in style.COLORS if contrast(color, ground) < 3} == {}


def drawn(n_points: int = 10) -> str:
    with style.style():
        fig, axes = plt.subplots(1, 2)
        axes[0].scatter(*np.random.default_rng(0).standard_normal((2, n_points)))
        axes[1].plot([0, 1], [0, 1], color="0.4", label="line")
        axes[1].set_title("ρ = 0.12345")
        return style.svg(style.finish(fig))


def test_a_figure_is_an_element_of_the_page():
    text = drawn()
    ElementTree.fromstring(text)
    assert text.startswith('<svg class="il-drawn"')
    assert "max-width: 100%; height: auto" in text
    assert ">ρ = 0.12345</text>" in text  # words stay words, and coordinates alone are rounded
    assert not re.search(r"[ML] \d+\.\d{3}", text)
    assert text == drawn()


def test_names_within_a_figure_are_its_own():
    one, other = drawn(10), drawn(11)
    ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, own in zip((one, other), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) == own


def test_a_notebook_shows_figures_in_this_style():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    backend = mpl.get_backend()
    with mpl.rc_context():
        style.load_ipython_extension(shell)
        with style.style():
            fig, _ = plt.subplots()
        shown, _ = shell.display_formatter.format(style.finish(fig))
    plt.switch_backend(backend)
    assert shown["image/svg+xml"].startswith('<svg class="il-drawn"')
    assert "image/png" not in shown
