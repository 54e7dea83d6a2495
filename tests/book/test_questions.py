"""Tests of the questions on the site by keyboard, with screen readers, on paper, and without scripts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reanalyses.course import quizzes
from reanalyses.course.quizzes import markup

from .conftest import address
from .test_chapters import LESSONS, name, page_of
from .test_site import contrast_faults, layout_faults, nonempty_faults

pytestmark = [pytest.mark.rest, pytest.mark.browser]

#: Sphinx changes straight quotes to curly ones.
STRAIGHT = str.maketrans("’“”", '\'""')
#: Checks each choice of each question, and returns the feedback before and after each click on "Check".
CHECK_ALL_CHOICES = """() => [...document.querySelectorAll(".il-question")].map((question) => {
  const status = question.querySelector("[role=status]");
  return [...question.querySelectorAll(".il-choice")].map((choice) => {
    choice.click();
    const before = status.textContent;
    question.querySelector(".il-check").click();
    return { before, after: status.innerText.trim(), mark: choice.lastChild.innerText, checked: choice.firstChild.checked };
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
def test_choices_get_the_feedback_of_the_lesson(site: str, page: Any, path: Path) -> None:
    """The feedback is that of the lesson, and it is legible on a phone, in the light and dark themes."""
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto(address(site, path))
    questions = questions_of(path)
    answers = page.evaluate(CHECK_ALL_CHOICES)
    assert len(answers) == len(questions)
    for choices, expected in zip(answers, questions, strict=True):
        assert len(choices) == len(expected.choices)
        for i, choice in enumerate(choices):
            is_right = i == expected.correct_index
            assert choice["checked"]
            assert choice["before"] == "", "feedback before the answer is checked"
            assert choice["after"].startswith("✓ Right" if is_right else "✗ No")
            assert choice["mark"] == ("✓ right" if is_right else "✗ not right")
            if not re.search(r"\$|\]\(", expected.feedback[i]):  # formulas have a separate text
                text = choice["after"][2:].translate(STRAIGHT)
                assert " ".join(text.split()) == markup.plain_text(expected.feedback[i]).translate(STRAIGHT)
    assert not page.locator(".il-question details").first.is_visible(), "answers are folded"
    assert page.locator(".tag_solution details[open]").count() == 0
    page.add_style_tag(content="* { transition: none !important; }")
    assert nonempty_faults(contrast_faults(page, ".il-question")) == {}
    assert nonempty_faults(layout_faults(page, 390)) == {}

    hidden_outputs = page.locator(".cell_output[hidden]")
    assert page.locator(".il-reveal").count() == hidden_outputs.count()
    for prediction in page.locator(".il-predict").all():
        buttons = prediction.get_by_role("button")
        if buttons.count():
            buttons.last.focus()
            page.keyboard.press("Enter")
            assert buttons.last.get_attribute("aria-pressed") == "true"
            buttons.first.click()
            assert buttons.last.get_attribute("aria-pressed") == "false"
        elif page.locator(".il-reveal").count():  # a prediction of a number
            page.locator(".il-reveal").first.click()
    assert page.locator("main article [hidden]:not(.il-live *)").count() == 0
    assert page.locator(".il-reveal").count() == 0


def open_first_question(site: str, page: Any) -> Any:
    page.goto(address(site, LESSONS[0]))
    if page.locator(".il-quiz input:checked").count():
        with page.expect_navigation():
            page.get_by_role("button", name="Forget my answers").click()
    return page.locator(".il-question").first


def test_question_is_answered_by_keyboard(site: str, page: Any) -> None:
    question = open_first_question(site, page)
    radios, status = question.get_by_role("radio"), question.get_by_role("status")
    focused_choice = "document.activeElement.value + document.activeElement.checked"
    radios.first.focus()
    page.keyboard.press("Enter")
    assert status.inner_text() == "Choose one first."
    page.keyboard.press("Space")
    assert page.evaluate(focused_choice) == "1true"
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused_choice) == "2true"
    assert status.inner_text() == "", "arrow keys check no answer"
    page.keyboard.press("Enter")
    first = status.inner_text()
    assert first[0] in "✓✗"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowUp")
    assert status.inner_text() == "", "the feedback belongs to the other choice"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert status.inner_text()[0] in "✓✗"
    assert status.inner_text() != first


def test_question_has_accessible_names_and_roles(site: str, page: Any) -> None:
    question = open_first_question(site, page)
    (expected, *_) = questions_of(LESSONS[0])
    group = page.get_by_role("group", name=f"{markup.plain_text(expected.prompt)} Choose one", exact=True)
    for choice in expected.choices:
        assert group.get_by_role("radio", name=markup.plain_text(choice), exact=True).count() == 1
    assert group.get_by_role("button", name="Check", exact=True).count() == 1
    assert group.get_by_role("status").count() == 1
    question.get_by_role("radio").nth(expected.correct_index).check()
    group.get_by_role("button", name="Check").click()
    right_name = f"{markup.plain_text(expected.choices[expected.correct_index])} ✓ right"
    assert group.get_by_role("radio", name=right_name, exact=True).count() == 1


def test_first_attempts_are_counted_and_stored(site: str, page: Any) -> None:
    open_first_question(site, page)
    page.wait_for_load_state("networkidle")
    questions = questions_of(LESSONS[0])
    requests: list[str] = []
    # MathJax loads the fonts of formulas when they become visible.
    page.on("request", lambda r: requests.append(r.url) if r.resource_type != "font" else None)
    score = page.locator(".il-score")
    assert score.inner_text() == ""
    for i, (question, expected) in enumerate(zip(page.locator(".il-question").all(), questions, strict=True)):
        radios, check = question.get_by_role("radio"), question.get_by_role("button", name="Check")
        # The first question is answered correctly only at the second attempt; later checks do not count.
        correct = expected.correct_index
        for choice in [(correct + 1) % len(expected.choices)] * (i == 0) + [correct] * 2:
            radios.nth(choice).check()
            check.click()
        n_left = len(questions) - 1 - i
        text = f"{i} of {i + 1} right at the first try"
        assert score.inner_text() == (f"{text}, {n_left} to go." if n_left else f"{text}.")
        # The last count is announced. A region has to be live before it changes.
        assert score.get_attribute("aria-live") == ("polite" if n_left <= 1 else "off")
    assert requests == []
    page.locator(".il-predict button").first.click()
    text, feedback = score.inner_text(), page.locator(".il-feedback").all_inner_texts()
    page.reload()
    assert score.inner_text() == text
    assert [text.split() for text in page.locator(".il-feedback").all_inner_texts()] == [
        text.split() for text in feedback
    ]
    assert page.locator(".il-predict button").first.get_attribute("aria-pressed") == "true"
    open_first_question(site, page)
    assert score.inner_text() == ""
    assert page.locator(".il-predict button[aria-pressed=true]").count() == 0


def test_lists_replace_quizzes_on_paper_and_without_scripts(site: str, page: Any, browser: Any) -> None:
    question = open_first_question(site, page)
    quiz, lists, folded = (question.locator(part) for part in (".il-quiz", "ol.il-plain", "details"))
    assert [part.is_visible() for part in (quiz, lists, folded)] == [True, False, False]
    page.emulate_media(media="print")
    assert [part.is_visible() for part in (quiz, lists, folded)] == [False, True, True]
    page.emulate_media(media="screen")

    context = browser.new_context(java_script_enabled=False)
    question = open_first_question(site, no_script := context.new_page())
    assert question.locator("button, input").count() == 0
    assert question.locator(":scope > ol").is_visible()
    assert no_script.locator(".cell_output[hidden]").count() == 0
    assert not question.locator("details ol").is_visible()
    question.locator("summary").click()
    assert "Right" in question.locator("details ol").inner_text()
    context.close()
