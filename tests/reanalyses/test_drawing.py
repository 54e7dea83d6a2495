"""Tests of figure helpers: interactive frames, labels of lines, and widths."""

import json
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.figure import Figure

from reanalyses import drawing, explore, style


def show_power(power: int = 2, kind: str = "line", grid: bool = False) -> Figure:
    fig, ax = plt.subplots()
    ax.plot(np.arange(5.0) ** power, "-" if kind == "line" else "o")
    ax.grid(visible=grid)
    ax.set_title(f"Power {power} as {kind}, grid {grid}", loc="left")
    return fig


def test_frames_equal_figures_of_the_function() -> None:
    before = plt.get_fignums()
    widget = explore(show_power, power=(1, 3), kind=["line", "dots"], grid=True)
    script = re.search(r'(?s)<script type="application/json">(.*?)</script>', widget._repr_html_())
    assert script is not None
    data = json.loads(script[1])
    assert data["values"] == [["1", "2", "3"], ["line", "dots"], ["no", "yes"]]
    assert data["at"] == [1, 0, 0]
    assert len(data["frames"]) == 12
    for n, index in enumerate(np.ndindex(3, 2, 2)):
        picture, description = json.loads(drawing.frame("show_power", index))
        assert "".join(data["parts"][i] for i in data["frames"][n]) == picture
        kind, grid = ("line", "dots")[index[1]], (False, True)[index[2]]
        assert data["said"][n] == description == f"Power {index[0] + 1} as {kind}, grid {grid}"
    assert plt.get_fignums() == before


@pytest.mark.parametrize("constrained", [True, False])
def test_axes_positions_are_equal_in_all_frames(constrained: bool) -> None:
    axes = []

    def show_range(top: int = 1) -> Figure:
        fig, ax = plt.subplots(layout="constrained" if constrained else None)
        ax.plot([0, 10**top])
        axes.append(ax)
        return fig

    widget = explore(show_range, top=(0, 7))
    for top in (1, 7):
        widget.frame_at({"top": top})
    assert axes[0].get_position().bounds == axes[1].get_position().bounds
    assert axes[0].get_ylim() != axes[1].get_ylim()


@pytest.mark.parametrize(
    "controls", [{"power": (1, 2, 3, 4)}, {"power": []}, {"power": 3}, {"exponent": (1, 3)}]
)
def test_invalid_controls_are_rejected(controls: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected"):
        explore(show_power, **controls)


def test_too_many_frames_are_rejected() -> None:
    with pytest.raises(ValueError, match=str(drawing.MAX_FRAMES)):
        explore(show_power, power=(0, 100))._repr_html_()


def test_line_labels_have_the_colors_of_their_lines() -> None:
    """seaborn draws the lines of `ecdfplot` in the reverse order of its legend."""
    table = pd.DataFrame(
        {name: np.random.default_rng(0).normal(mean, 1, 50) for name, mean in (("low", 0), ("high", 9))}
    )
    fig, ax = plt.subplots()
    sns.ecdfplot(table, ax=ax)
    expected = {}
    for line in ax.get_lines():
        expected["low" if np.nanmax(line.get_xdata()[1:]) < 5 else "high"] = line.get_color()
    drawing.label_lines(ax)
    labels = {text.get_text(): text.get_color() for text in ax.texts}
    assert labels == expected
    assert ax.get_legend() is None
    plt.close(fig)


def test_wide_figures_span_the_column() -> None:
    for width, kind in ((drawing.WIDTH, "il-drawn il-full"), (style.WIDTH, "il-drawn")):
        fig = plt.figure(figsize=(width, 2))
        assert style.svg(fig).startswith(f'<svg class="{kind}"')
        plt.close(fig)
