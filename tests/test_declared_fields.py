"""Does the documentation list every field that ``ladder.py`` can declare? Renew: python -m schema.fields"""

from __future__ import annotations

from dataclasses import fields, is_dataclass

import pytest

from schema import ladder
from schema.field_words import WORDS
from schema.fields import DOC, renewed, type_in_words


def test_the_chapter_holds_what_is_generated():
    text = DOC.read_text(encoding="utf-8")
    assert text == renewed(text), "renew it: python -m schema.fields"


def test_every_class_that_a_ladder_can_use_is_described():
    assert {cls for name in ladder.__all__ if is_dataclass(cls := getattr(ladder, name))} == set(WORDS)


@pytest.mark.parametrize("cls", WORDS, ids=lambda cls: cls.__name__)
def test_every_field_has_its_sentence_and_no_other_has(cls: type):
    heading, words = WORDS[cls]
    assert list(words) == [field.name for field in fields(cls)]  # type: ignore[arg-type]
    for sentence in (heading, *words.values()):
        assert sentence.endswith(".") and "|" not in sentence


@pytest.mark.parametrize("annotation, words", [
    ("str", "text"),
    ("tuple[Operand, ...]", "tuple of `Operand`"),
    ("tuple[int, int]", "tuple: whole number, whole number"),
    ("Mapping[str, str]", "dictionary of text to text"),
    ("Sweep | None", "`Sweep`, or `None`"),
    ("Callable[[Problem, Constants], tuple[int, ...]]", "function of problem, constants; gives tuple of whole number"),
])  # fmt: skip
def test_a_type_in_words(annotation: str, words: str):
    assert type_in_words(annotation) == words


def test_what_an_author_changed_by_hand_is_renewed():
    text = DOC.read_text(encoding="utf-8")
    assert renewed(text.replace("| `slug` | text |", "| `slug` | number |")) == text
