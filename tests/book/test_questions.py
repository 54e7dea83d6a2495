"""Tests of the site's questions by keyboard, with screen readers, and without scripts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reanalyses.course import quizzes
from reanalyses.course.quizzes import markup

from .conftest import address
from .test_chapters import LESSONS, name, page_of
from .test_site import contrast_faults, kinds_of, layout_faults

pytestmark = [pytest.mark.rest, pytest.mark.browser]

#: Sphinx bends quotes.
STRAIGHT = str.maketrans("’“”", '\'""')
#: Takes each choice of each question in turn, as a hand would, and notes what is said before and after "Check".
TAKE_ALL = """() => [...document.querySelectorAll(".il-question")].map((question) => {
  const said = question.querySelector("[role=status]");
  return [...question.querySelectorAll(".il-choice")].map((choice) => {
    choice.click();
    const before = said.textContent;
    question.querySelector(".il-check").click();
    return { before, after: said.innerText.trim(), mark: choice.lastChild.innerText, checked: choice.firstChild.checked };
  });
})"""


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """Yield one page that is reused for all lessons and keeps the site's scripts."""
    page = browser.new_page()
    yield page
    page.close()


def questions_of(path: Path) -> tuple[quizzes.Question, ...]:
    return quizzes.questions([page_of(path)])


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_predictions_wait_for_a_choice_and_every_choice_answers(site: str, page: Any, path: Path) -> None:
    """What the page says to a choice is what the lesson has, and all of it can be read on a phone, light and dark."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(address(site, path))
    asked = questions_of(path)
    shown = page.evaluate(TAKE_ALL)
    assert len(shown) == len(asked)
    for choices, expected in zip(shown, asked, strict=True):
        assert len(choices) == len(expected.choices)
        for i, choice in enumerate(choices):
            right = i == expected.correct_index
            assert choice["checked"]
            assert choice["before"] == "", "it answers before it is asked"
            assert choice["after"].startswith("✓ Right" if right else "✗ No")
            assert choice["mark"] == ("✓ right" if right else "✗ not right")
            if not re.search(r"\$|\]\(", expected.feedback[i]):  # formulas have a text of their own
                text = choice["after"][2:].translate(STRAIGHT)
                assert " ".join(text.split()) == markup.plain_text(expected.feedback[i]).translate(STRAIGHT)
    assert not page.locator(".il-question details").first.is_visible(), "the folded answers would say it all"
    assert page.locator(".tag_solution details[open]").count() == 0
    page.add_style_tag(content="* { transition: none !important; }")
    assert kinds_of(contrast_faults(page, ".il-question")) == {}
    assert kinds_of(layout_faults(page, 390)) == {}

    waiting = page.locator(".cell_output[hidden]")
    assert page.locator(".il-reveal").count() == waiting.count()
    for prediction in page.locator(".il-predict").all():
        buttons = prediction.get_by_role("button")
        if buttons.count():
            buttons.last.focus()
            page.keyboard.press("Enter")
            assert buttons.last.get_attribute("aria-pressed") == "true"
            buttons.first.click()
            assert buttons.last.get_attribute("aria-pressed") == "false"
        elif page.locator(".il-reveal").count():  # a number to write down
            page.locator(".il-reveal").first.click()
    assert page.locator("main article [hidden]:not(.il-live *)").count() == 0
    assert page.locator(".il-reveal").count() == 0


def first_question(site: str, page: Any) -> Any:
    page.goto(address(site, LESSONS[0]))
    if page.locator(".il-quiz input:checked").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Forget my answers").click()
    return page.locator(".il-question").first


def test_a_question_is_answered_from_the_keyboard(site: str, page: Any) -> None:
    question = first_question(site, page)
    radios, said = question.get_by_role("radio"), question.get_by_role("status")
    chosen = "document.activeElement.value + document.activeElement.checked"
    radios.first.focus()
    page.keyboard.press("Enter")
    assert said.inner_text() == "Choose one first."
    page.keyboard.press("Space")
    assert page.evaluate(chosen) == "1true"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(chosen) == "2true"
    assert said.inner_text() == "", "moving through the choices checks none"
    page.keyboard.press("Enter")
    first = said.inner_text()
    assert first[0] in "✓✗"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    assert said.inner_text() == "", "what was said is about the other choice"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert said.inner_text()[0] in "✓✗"
    assert said.inner_text() != first


def test_a_screen_reader_finds_a_named_group_of_radio_buttons_and_a_live_region(site: str, page: Any) -> None:
    question = first_question(site, page)
    (expected, *_) = questions_of(LESSONS[0])
    group = page.get_by_role("group", name=f"{markup.plain_text(expected.prompt)} Choose one", exact=True)
    for choice in expected.choices:
        assert group.get_by_role("radio", name=markup.plain_text(choice), exact=True).count() == 1
    assert group.get_by_role("button", name="Check", exact=True).count() == 1
    assert group.get_by_role("status").count() == 1
    question.get_by_role("radio").nth(expected.correct_index).check()
    group.get_by_role("button", name="Check").click()
    right = f"{markup.plain_text(expected.choices[expected.correct_index])} ✓ right"
    assert group.get_by_role("radio", name=right, exact=True).count() == 1


def test_the_first_tries_are_counted_and_kept_until_they_are_forgotten(site: str, page: Any) -> None:
    first_question(site, page)
    page.wait_for_load_state("networkidle")
    asked = questions_of(LESSONS[0])
    requests: list[str] = []
    # Of its own accord MathJax gets the letters of a formula that comes into sight.
    page.on("request", lambda one: requests.append(one.url) if one.resource_type != "font" else None)
    score = page.locator(".il-score")
    assert score.inner_text() == ""
    for i, (question, expected) in enumerate(zip(page.locator(".il-question").all(), asked, strict=True)):
        radios, check = question.get_by_role("radio"), question.get_by_role("button", name="Check")
        # The first question is right at the second try only, and checking it again counts for nothing.
        correct = expected.correct_index
        for choice in [(correct + 1) % len(expected.choices)] * (i == 0) + [correct] * 2:
            radios.nth(choice).check()
            check.click()
        left = len(asked) - 1 - i
        told = f"{i} of {i + 1} right at the first try"
        assert score.inner_text() == (f"{told}, {left} to go." if left else f"{told}.")
        # The last count is announced. A region has to be live before it changes.
        assert score.get_attribute("aria-live") == ("polite" if left <= 1 else "off")
    assert requests == []
    page.locator(".il-predict button").first.click()
    told, shown = score.inner_text(), page.locator(".il-feedback").all_inner_texts()
    page.reload()
    assert score.inner_text() == told
    assert [text.split() for text in page.locator(".il-feedback").all_inner_texts()] == [
        text.split() for text in shown
    ]
    assert page.locator(".il-predict button").first.get_attribute("aria-pressed") == "true"
    first_question(site, page)
    assert score.inner_text() == ""
    assert page.locator(".il-predict button[aria-pressed=true]").count() == 0


def test_on_paper_and_without_a_script_stand_the_lists(site: str, page: Any, browser: Any) -> None:
    question = first_question(site, page)
    quiz, lists, folded = (question.locator(part) for part in (".il-quiz", "ol.il-plain", "details"))
    assert [part.is_visible() for part in (quiz, lists, folded)] == [True, False, False]
    page.emulate_media(media="print")
    assert [part.is_visible() for part in (quiz, lists, folded)] == [False, True, True]
    page.emulate_media(media="screen")

    context = browser.new_context(java_script_enabled=False)
    question = first_question(site, plain := context.new_page())
    assert question.locator("button, input").count() == 0
    assert question.locator(":scope > ol").is_visible()
    assert plain.locator(".cell_output[hidden]").count() == 0
    assert not question.locator("details ol").is_visible()
    question.locator("summary").click()
    assert "Right" in question.locator("details ol").inner_text()
    context.close()
