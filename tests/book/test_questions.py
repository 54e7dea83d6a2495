"""Questions on the site: choices that answer, with the keyboard, for screen readers, and without a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reanalyses import lessons
from reanalyses.course import quizzes
from reanalyses.course.quizzes import markup

from .conftest import ROOT
from .test_chapters import LESSONS, name
from .test_site import scripts

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def lesson(site: str, browser: Any) -> Iterator[Callable[..., Any]]:
    """Open lessons one after the other in one page, which keeps the site's scripts."""
    page = browser.new_page()

    def opened(path: Path, width: int = 1280) -> Any:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(address(site, path))
        return page

    yield opened
    page.close()


def address(site: str, path: Path) -> str:
    return site + path.relative_to(ROOT / "book").with_suffix(".html").as_posix()


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


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_every_choice_answers_and_one_is_right(lesson: Callable[..., Any], path: Path) -> None:
    """What the page says to a choice is what the lesson has, and all of it can be read on a phone, light and dark."""
    page = lesson(path, width=390)
    asked = questions_of(path)
    shown = page.evaluate(TAKE_ALL)
    assert len(shown) == len(asked) >= 5
    for choices, expected in zip(shown, asked, strict=True):
        assert len(choices) == len(expected.choices)
        for i, choice in enumerate(choices):
            right = i == expected.right
            assert choice["checked"]
            assert choice["before"] == "", "it answers before it is asked"
            assert choice["after"].startswith("✓ Right" if right else "✗ No")
            assert choice["mark"] == ("✓ right" if right else "✗ not right")
            if not re.search(r"\$|\]\(", expected.feedback[i]):  # formulas have a text of their own
                text = choice["after"][2:].translate(STRAIGHT)
                assert " ".join(text.split()) == markup.plain(expected.feedback[i]).translate(STRAIGHT)
    assert not page.locator(".il-question details").first.is_visible(), "the folded answers would say it all"
    layout, contrast = scripts()
    page.add_style_tag(content="* { transition: none !important; }")
    faults = page.evaluate(layout)
    assert [
        one for kind in ("wide", "cut") for one in faults[kind] if re.match(r"<\w+ (il-|\w* ?math)", one)
    ] == []
    for theme in ("light", "dark"):
        page.evaluate("(name) => { document.documentElement.dataset.theme = name; }", theme)
        assert page.evaluate(contrast, ".il-question") == []


def questions_of(path: Path) -> tuple[quizzes.Question, ...]:
    return quizzes.questions([path.relative_to(ROOT / "book").with_suffix("").as_posix()])


def first_question(site: str, browser: Any) -> tuple[Any, Any]:
    page = browser.new_page()
    page.goto(address(site, LESSONS[0]))
    return page, page.locator(".il-question").first


def test_a_question_is_answered_from_the_keyboard(site: str, browser: Any) -> None:
    page, question = first_question(site, browser)
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
    page.close()


def test_a_screen_reader_finds_a_named_group_of_radio_buttons_and_a_live_region(
    site: str, browser: Any
) -> None:
    page, question = first_question(site, browser)
    (expected, *_) = questions_of(LESSONS[0])
    question.get_by_role("radio").nth(expected.right).check()
    question.get_by_role("button", name="Check").click()
    session = page.context.new_cdp_session(page)
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    quiz = session.send("DOM.querySelector", {"nodeId": root, "selector": ".il-quiz"})["nodeId"]
    nodes = session.send("Accessibility.queryAXTree", {"nodeId": quiz})["nodes"]
    tree = [
        (one["role"]["value"], one.get("name", {}).get("value", ""), one)
        for one in nodes
        if not one["ignored"]
    ]
    named = [(role, title) for role, title, _ in tree if role in {"group", "radio", "button"}]
    assert named[0] == ("group", f"{markup.plain(expected.asked)} Choose one")
    marks = [" ✓ right" if i == expected.right else "" for i in range(len(expected.choices))]
    choices = [f"{markup.plain(choice)}{mark}" for choice, mark in zip(expected.choices, marks, strict=True)]
    assert [title for role, title in named if role == "radio"] == choices
    assert named[-1] == ("button", "Check")
    (status,) = (one for role, _, one in tree if role == "status")
    assert {"name": "live", "value": {"type": "token", "value": "polite"}} in status["properties"]
    assert not any(role in {"list", "Details"} for role, _, _ in tree)
    page.close()


def test_the_first_tries_are_counted_and_nothing_is_kept_or_sent(site: str, browser: Any) -> None:
    page, _ = first_question(site, browser)
    page.wait_for_load_state("networkidle")
    asked = questions_of(LESSONS[0])
    stored = page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
    requests: list[str] = []
    # Of its own accord MathJax gets the letters of a formula that comes into sight.
    page.on("request", lambda one: requests.append(one.url) if one.resource_type != "font" else None)
    score = page.locator(".il-score")
    assert score.inner_text() == ""
    for i, (question, expected) in enumerate(zip(page.locator(".il-question").all(), asked, strict=True)):
        radios, check = question.get_by_role("radio"), question.get_by_role("button", name="Check")
        # The first question is right at the second try only, and checking it again counts for nothing.
        for choice in [(expected.right + 1) % len(expected.choices)] * (i == 0) + [expected.right] * 2:
            radios.nth(choice).check()
            check.click()
        left = len(asked) - 1 - i
        told = f"{i} of {i + 1} right at the first try"
        assert score.inner_text() == (f"{told}, {left} to go." if left else f"{told}.")
        # The last count is announced. A region has to be live before it changes.
        assert score.get_attribute("aria-live") == ("polite" if left <= 1 else "off")
    assert requests == []
    assert (
        page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")
        == stored
    )
    page.reload()
    assert page.locator(".il-quiz input:checked").count() == 0
    assert page.locator(".il-score").inner_text() == ""
    page.close()


def test_on_paper_stand_the_lists(site: str, browser: Any) -> None:
    page, question = first_question(site, browser)
    quiz, lists, folded = (question.locator(part) for part in (".il-quiz", "ol.il-plain", "details"))
    assert quiz.is_visible()
    assert not lists.is_visible()
    page.emulate_media(media="print")
    assert not quiz.is_visible()
    assert lists.is_visible()
    assert folded.is_visible()
    page.close()


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_prediction_comes_before_what_it_predicts(lesson: Callable[..., Any], path: Path) -> None:
    page = lesson(path)
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
    assert page.locator("main article [hidden]:not(.il-live *)").count() == 0
    assert page.locator(".il-reveal").count() == 0


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
    assert question.locator("button, input").count() == 0
    assert question.locator(":scope > ol").is_visible()
    assert page.locator(".cell_output[hidden]").count() == 0
    assert not question.locator("details ol").is_visible()
    question.locator("summary").click()
    assert "Right" in question.locator("details ol").inner_text()
    context.close()


@pytest.mark.parametrize("path", LESSONS, ids=name)
def test_a_lesson_says_how_long_it_is_and_folds_its_solutions(lesson: Callable[..., Any], path: Path) -> None:
    page = lesson(path)
    about = lessons.read(path)
    line = page.locator(".il-reading-time").inner_text()
    numbers = [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", line)]
    assert numbers == [about.minutes, about.exercise_minutes, about.words, about.figures, about.exercises]
    # What a reader counts on the page is about what was counted in the source.
    prose = page.evaluate(
        """() => { const page = document.querySelector("main article").cloneNode(true);
          page.querySelectorAll(".cell_input, .cell_output, .il-moving, .headerlink, script, style, pre, .il-live, .il-reading-time, .il-quiz, .il-score, .il-question details"
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
