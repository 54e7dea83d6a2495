"""Tests of interactive figures before any input: their numbers equal Python's, and they load nothing."""

import html
import json
import re
from typing import Any

import pytest

from reanalyses import moving

from .moving_figures import CASES, assert_equals_python, figure_of


@pytest.mark.browser
@pytest.mark.parametrize("name", CASES)
def test_initial_numbers_equal_python(show: Any, name: str) -> None:
    assert_equals_python(show(figure_of(name)).locator(".il-moving"), name)


@pytest.mark.parametrize("name", CASES)
def test_figures_load_no_other_files(name: str) -> None:
    text = figure_of(name)._repr_html_()
    assert set(re.findall(r"https?://[^\"'` )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<(img|link|iframe)|src=|@import|url\(\"?http", text)
    assert figure_of(name).alternative == html.unescape(
        re.search(r"<noscript><p>(.*?)</p></noscript>", text)[1]
    )
    assert len(text) < 100_000


def test_data_are_escaped_in_their_script() -> None:
    malicious = '"></script><b>'
    text = moving.MovingFigure("cloud", malicious, malicious, malicious, {"name": malicious})._repr_html_()
    assert "<b>" not in text
    assert text.count("</script>") == 2
    data = text.split('<script type="application/json">')[1].split("</script>")[0]
    assert json.loads(data) == {"name": malicious}
