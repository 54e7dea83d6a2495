"""Questions on the site: choices that answer, with the keyboard, for screen readers, and without a script."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from reanalyses import lessons

from .conftest import ROOT
from .test_chapters import LESSONS, name

pytestmark = pytest.mark.browser


def address(site: str, path: Path) -> str:
    return site + path.relative_to(ROOT / "book").with_suffix(".html").as_posix()


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_every_choice_answers_and_one_is_right(site: str, browser: Any, path: Path) -> None:
    page = browser.new_page()
    page.goto(address(site, path))
    questions = page.locator(".il-question")
    assert questions.count() >= 3
    for question in questions.all():
        marks = []
        for choice in question.locator(".il-choices > li").all():
            said = choice.get_by_role("status")
            assert said.inner_text().strip() == "", "an answer shows before it is asked for"
            choice.get_by_role("button").click()
            text = said.inner_text().strip()
            assert len(text.split()) >= 3
            marks.append(choice.get_attribute("data-answer"))
            assert (marks[-1] == "right") == text.startswith("Right")
        assert len(marks) >= 2
        assert marks.count("right") == 1
        assert question.locator("details").count() == 0, "the folded answers would say it all"
    page.close()


def test_a_question_is_answered_from_the_keyboard(site: str, browser: Any) -> None:
    page = browser.new_page()
    page.goto(address(site, LESSONS[0]))
    question = page.locator(".il-question").first
    buttons = question.get_by_role("button")
    buttons.first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert buttons.nth(0).get_attribute("aria-pressed") == "false"
    assert buttons.nth(1).get_attribute("aria-pressed") == "true"
    said = page.locator(f"[id='{buttons.nth(1).get_attribute('aria-controls')}']")
    assert said.get_attribute("role") == "status"
    assert said.inner_text().strip()
    page.close()


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_prediction_comes_before_what_it_predicts(site: str, browser: Any, path: Path) -> None:
    page = browser.new_page()
    page.goto(address(site, path))
    predictions = page.locator(".il-predict")
    assert predictions.count() >= 1
    waiting = page.locator(".cell_output[hidden]")
    assert page.locator(".il-reveal").count() == waiting.count()
    for prediction in predictions.all():
        before = waiting.count()
        buttons = prediction.get_by_role("button")
        if not buttons.count():  # a number to write down
            for reveal in page.locator(".il-reveal").all()[:1]:
                reveal.click()
            continue
        buttons.last.focus()
        page.keyboard.press("Enter")
        assert buttons.last.get_attribute("aria-pressed") == "true"
        buttons.first.click()
        assert buttons.last.get_attribute("aria-pressed") == "false"
        assert waiting.count() in {before, before - 1}
    assert page.locator("main article [hidden]:not(.il-feedback, .il-live *)").count() == 0
    assert page.locator(".il-reveal").count() == 0
    page.close()


def test_what_was_to_be_predicted_can_be_asked_for_or_linked_to(site: str, browser: Any) -> None:
    page = browser.new_page()
    waiting = page.locator(".cell_output[hidden]")
    for path in LESSONS:
        page.goto(address(site, path))
        if waiting.count():
            break
    name = waiting.first.get_attribute("id")
    page.locator(".il-reveal").first.click()
    assert page.locator(f"[id='{name}']").is_visible()
    page.goto("about:blank")
    page.goto(f"{address(site, path)}#{name}")
    assert page.locator(f"[id='{name}']").is_visible()
    page.close()


def test_questions_can_be_read_without_a_script(site: str, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address(site, LESSONS[0]))
    question = page.locator(".il-question").first
    assert question.locator("button").count() == 0
    assert page.locator(".cell_output[hidden]").count() == 0
    assert not question.locator("details ol").is_visible()
    question.locator("summary").click()
    assert "Right" in question.locator("details ol").inner_text()
    context.close()


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_says_how_long_it_is_and_folds_its_solutions(site: str, browser: Any, path: Path) -> None:
    page = browser.new_page()
    page.goto(address(site, path))
    about = lessons.read(path)
    line = page.locator(".il-reading-time").inner_text()
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", line)]
    assert numbers == [about.minutes, about.exercise_minutes, about.words, about.figures, about.exercises]
    # What a reader counts on the page is about what was counted in the source.
    prose = page.evaluate(
        """() => { const page = document.querySelector("main article").cloneNode(true);
          page.querySelectorAll(".cell_input, .cell_output, .il-moving, .headerlink, script, style, pre, .il-live, .il-reading-time"
            ).forEach((e) => e.remove());
          page.querySelectorAll(".math, mjx-container").forEach((e) => e.replaceWith(" formula "));
          return page.textContent; }"""
    )
    assert len(re.findall(r"[^\W_]+(?:['’.,–-][^\W_]+)*", prose)) == pytest.approx(about.words, rel=0.05)
    solutions = page.locator(".tag_solution details")
    assert solutions.count() >= 3
    for solution in solutions.all():
        assert solution.get_attribute("open") is None
        assert solution.locator("summary").inner_text().strip() == "Solution"
    page.close()
