"""Tests of the initial state of interactive figures: all numbers are recomputed, and no requests are sent."""

import html
import json
import re
from typing import Any

import pytest

from reanalyses import moving

from .moving_figures import CASES, check, figure_of


@pytest.mark.browser
@pytest.mark.parametrize("name", CASES)
def test_every_number_is_pythons(show: Any, name: str) -> None:
    check(show(figure_of(name)).locator(".il-moving"), name)


@pytest.mark.parametrize("name", CASES)
def test_what_is_in_the_page_is_all_there_is(name: str) -> None:
    text = figure_of(name)._repr_html_()
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(img|link|iframe)|src=|@import|url\(\"?http", text)
    assert figure_of(name).alternative == html.unescape(
        re.search(r"<noscript><p>(.*?)</p></noscript>", text)[1]
    )
    assert len(text) < 100_000


def test_data_cannot_leave_their_script() -> None:
    evil = '"></script><b>'
    text = moving.MovingFigure("cloud", evil, evil, evil, {"name": evil})._repr_html_()
    assert "<b>" not in text
    assert text.count("</script>") == 2
    inside = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert json.loads(inside) == {"name": evil}
