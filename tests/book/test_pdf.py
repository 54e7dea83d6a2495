"""Tests of the print edition of one lesson and its solutions."""

import re

import pytest

from tests.conftest import script_module

make_pdf = script_module("make_pdf")
pytestmark = pytest.mark.rest


@pytest.fixture(scope="module")
def volume(built, browser):
    return make_pdf.volume("lessons", "association/geometric-consistency", browser)


def test_links_have_unique_existing_targets(volume):
    names = [str(element["id"]) for element in volume.select("[id]")]
    assert len(names) == len(set(names))
    targets = {str(element["href"])[1:] for element in volume.select('a[href^="#"]')}
    targets |= {str(element["data-page"]) for element in volume.select("[data-page]")}
    assert len(targets) > 10
    assert targets <= set(names)
    assert not [
        link for link in volume.select("a[href]") if ".html" in link["href"] and "://" not in link["href"]
    ]


def test_solutions_are_at_the_end(volume):
    lesson, *rest = volume.select("section.il-page")
    assert not lesson.select(".tag_solution")
    solutions = rest[-1].select(".tag_solution")
    assert len(solutions) == len(lesson.select(".il-exercise")) == 3
    assert rest[-1].select("details")
    assert all("open" in element.attrs for element in volume.select("details"))


def test_page_numbers_increase_in_reading_order(volume, browser):
    pdf = make_pdf.print_to_pdf(browser, volume)
    page_of = make_pdf.find_page_numbers(pdf)
    n_pages = len(make_pdf.PAGE.findall(pdf))
    assert n_pages > 8
    labels = [str(link["data-page"]) for link in volume.select("[data-page]")]
    assert {*labels} <= page_of.keys()
    numbers = [page_of[label] for label in labels]
    assert 2 < min(numbers) <= max(numbers) <= n_pages
    solutions = [page_of[label] for label in labels if re.search(r"-solution-\d+$", label)]
    assert solutions == sorted(solutions)
    assert min(solutions) >= page_of["solutions"] > page_of["association.geometric-consistency--"]


def test_interactive_figures_are_replaced_by_images(volume):
    assert len(volume.select('.il-page img[src^="data:image/png"][alt*="moves"]')) == 1
    assert not volume.select(".il-moving")
