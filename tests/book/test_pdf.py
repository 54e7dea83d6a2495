"""Tests of the print edition with one lesson and its solutions."""

import re

import pytest

from tests.conftest import script_module

make_pdf = script_module("make_pdf")
pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def volume(built, browser):
    return make_pdf.volume("lessons", "association/geometric-consistency", browser)


def test_links_lead_to_places_that_exist_once(volume):
    names = [str(one["id"]) for one in volume.select("[id]")]
    assert len(names) == len(set(names))
    used = {str(one["href"])[1:] for one in volume.select('a[href^="#"]')}
    used |= {str(one["data-page"]) for one in volume.select("[data-page]")}
    assert len(used) > 10
    assert used <= set(names)
    assert not [
        one for one in volume.select("a[href]") if ".html" in one["href"] and "://" not in one["href"]
    ]


def test_solutions_stand_at_the_end(volume):
    lesson, *rest = volume.select("section.il-page")
    assert not lesson.select(".tag_solution")
    found = rest[-1].select(".tag_solution")
    assert len(found) == len(lesson.select(".il-exercise")) == 3
    assert rest[-1].select("details")
    assert all("open" in one.attrs for one in volume.select("details"))


def test_numbers_of_pages_are_those_of_the_places(volume, browser):
    pdf = make_pdf.printed(browser, volume)
    places = make_pdf.places(pdf)
    n_pages = len(make_pdf.PAGE.findall(pdf))
    assert n_pages > 8
    wanted = [str(one["data-page"]) for one in volume.select("[data-page]")]
    assert {*wanted} <= places.keys()
    numbers = [places[one] for one in wanted]
    assert 2 < min(numbers) <= max(numbers) <= n_pages
    solutions = [places[one] for one in wanted if re.search(r"-solution-\d+$", one)]
    assert solutions == sorted(solutions)
    assert min(solutions) >= places["solutions"] > places["association.geometric-consistency--"]


def test_a_figure_that_moves_stands_still_and_says_so(volume):
    assert len(volume.select('.il-page img[src^="data:image/png"][alt*="moves"]')) == 1
    assert not volume.select(".il-moving")
