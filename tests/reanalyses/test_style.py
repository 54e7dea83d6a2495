"""Tests of the style: contrast of colors in both themes, unique ids, and SVG output."""

import re
from xml.etree import ElementTree

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from reanalyses import style

#: Backgrounds of pages, light and dark: those of sphinx-book-theme and pydata-sphinx-theme.
BACKGROUNDS = ("#ffffff", "#121212", "#14181e")


def luminance(color: str) -> float:
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(first: str, second: str) -> float:
    low, high = sorted([luminance(first), luminance(second)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_colors_have_contrast_on_every_background(background):
    ratios = {color: contrast(color, background) for color in style.COLORS}
    assert {color: ratio for color, ratio in ratios.items() if ratio < 3} == {}


def draw_svg(n_points: int = 10) -> str:
    with style.style():
        fig, axes = plt.subplots(1, 2)
        axes[0].scatter(*np.random.default_rng(0).standard_normal((2, n_points)))
        axes[1].plot([0, 1], [0, 1], color="0.4", label="line")
        axes[1].set_title("ρ = 0.12345")
        return style.svg(style.finish(fig))


def test_figure_is_an_inline_svg_element():
    text = draw_svg()
    ElementTree.fromstring(text)
    assert text.startswith('<svg class="il-drawn"')
    assert "max-width: 100%; height: auto" in text
    assert ">ρ = 0.12345</text>" in text  # text remains text, and only coordinates are rounded
    assert not re.search(r"[ML] \d+\.\d{3}", text)
    assert text == draw_svg()


def test_ids_differ_between_figures():
    first, second = draw_svg(10), draw_svg(11)
    ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, own_ids in zip((first, second), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) == own_ids


def test_notebook_displays_figures_as_svg():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    backend = mpl.get_backend()
    with mpl.rc_context():
        style.load_ipython_extension(shell)
        with style.style():
            fig, _ = plt.subplots()
        formats, _ = shell.display_formatter.format(style.finish(fig))
    plt.switch_backend(backend)
    assert formats["image/svg+xml"].startswith('<svg class="il-drawn"')
    assert "image/png" not in formats
