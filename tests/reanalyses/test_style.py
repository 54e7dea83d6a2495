"""One look: colors that can be seen on either ground, one for each thing, and figures that fit into a page."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb

from isotropy_lab import plots
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
    assert {color: contrast(color, ground) for color in plots.PALETTE if contrast(color, ground) < 3} == {}


def test_contrast_is_that_of_the_guidelines():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("kind", style.LOOKS)
def test_no_two_things_of_a_kind_look_alike(kind):
    looks = {}
    for name, look in style.LOOKS[kind].items():
        looks.setdefault(look, set()).add(name)
    species = [{"0", "setosa", "adelie"}, {"1", "versicolor", "chinstrap"}, {"2", "virginica", "gentoo"}]
    assert [names for names in looks.values() if len(names) > 1 and names not in species] == []
    assert all(0 <= color < len(plots.PALETTE) for color, _ in looks)


def test_methods_and_species_share_no_marker():
    methods, species = (
        {marker for _, marker in style.LOOKS[kind].values()} for kind in ("method", "species")
    )
    assert methods & species <= {">", "<"}  # of starts that no figure shows beside species
    shown = {
        style.LOOKS["method"][name][1] for name in ("pca", "tsne", "mds", "umap", "isomap", "lle", "random")
    }
    assert not shown & species


@pytest.mark.parametrize("names", list(itertools.permutations(["tsne", "umap", "isomap"])))
def test_a_method_keeps_its_look_in_any_order(names):
    looks = style.looks(names, "method")
    for name in names:
        assert (looks[name]["color"], looks[name]["marker"]) == (
            style.looks([name], "method")[name]["color"],
            style.looks([name], "method")[name]["marker"],
        )


def test_names_in_print_and_in_code_are_the_same_thing():
    for printed, code, kind in (
        ("t-SNE", "tsne", "method"),
        ("MDS", "mds", "method"),
        ("word2vec", "GoogleNews", "model"),
        ("average_cosine_score", "Average cosine score", "score"),
        ("bge_large", "bge-large", "model"),
    ):
        first, second = style.looks([printed], kind)[printed], style.looks([code], kind)[code]
        assert (first["color"], first["marker"]) == (second["color"], second["marker"]), printed


def test_others_take_what_is_left():
    names = ["MiniLM", *(f"new {i}" for i in range(6))]
    looks = style.looks(names, "model")
    assert len({look["color"] for look in looks.values()}) == len(names)
    assert len({look["marker"] for look in looks.values()}) == len(names)
    many = style.looks(map(str, range(30)), "model")
    assert len(many) == 30


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


def test_inks_are_those_of_the_page():
    text = drawn()
    alone = re.findall(r"(?<!, )#([0-9a-f]{2})\1\1\b", text)
    assert alone == []
    assert {"ink", "muted", "grid", "ground"} <= set(re.findall(r"var\(--il-(\w+), #", text))


def test_names_within_a_figure_are_its_own():
    one, other = drawn(10), drawn(11)
    ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for text, own in zip((one, other), ids, strict=True):
        assert set(re.findall(r'(?:href="#|url\(#)([^")]+)', text)) == own


def test_many_points_are_pixels():
    assert "<image" not in drawn(style.MOST_POINTS)
    many = drawn(20 * style.MOST_POINTS)
    assert many.count("<image") == 1
    assert len(many) < 300_000


def test_a_panel_that_is_missing_makes_room():
    with style.style():
        fig, axes = style.rows(3, height=2.0)
        for ax in axes:
            ax.plot([0, 1], [0, 1], label="line")
        style.legend(fig, axes[0].get_legend_handles_labels()[0])
        style.finish(fig)
        assert [ax.get_legend() is not None for ax in fig.axes] == [False, False, False, True]
        fig, axes = style.rows(3, height=2.0)
        style.finish(fig)
        assert len(fig.axes) == 3
        fig.draw_without_rendering()
        assert axes[2].get_position().width > 1.5 * axes[0].get_position().width


def test_a_legend_is_no_wider_than_its_figure():
    with style.style():
        fig, (ax,) = style.rows(1, height=2.0)
        for i in range(4):
            ax.plot([0, 1], [0, i], label=f"a label that is rather long {i}")
        style.legend(fig, ax.get_legend_handles_labels()[0], columns=4)
        style.finish(fig)
    fig.draw_without_rendering()
    (legend,) = fig.legends
    assert legend.get_window_extent().width <= fig.bbox.width


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
