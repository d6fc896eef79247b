"""Do the notes of numbers leave the page and come back whole?"""

from __future__ import annotations

import json

from publisher.pages.notes import Asides

NOTE = 'data-kind="recorded" data-keys="a.{1} b" data-note="On {1} &amp; co.\nTwice."'
NUMBER = f'<data class="num" value="{{0}}" {NOTE} tabindex="0">'


def test_notes_are_kept_once_and_numbers_say_which_is_theirs() -> None:
    asides = Asides()
    html = asides.taken_from("".join(NUMBER.format(value, name) for value, name in ((1, "x"), (2, "y"), (3, "x"))))
    assert "data-note" not in html and "data-keys" not in html
    assert [part.split('"')[0] for part in html.split('data-aside="')[1:]] == ["0", "1", "0"]
    _, text = asides.added_to(("pictures.js", "first;\n"))
    notes = json.loads(text.removeprefix("first;\nwindow.Rungbook.asides = ").removesuffix(";\n"))
    assert notes == [["recorded", "a.x b", "On x & co.\nTwice."], ["recorded", "a.y b", "On y & co.\nTwice."]]


def test_a_page_without_numbers_keeps_its_script() -> None:
    assert Asides().added_to(("pictures.js", "first;\n")) == ("pictures.js", "first;\n")


def test_the_name_changes_with_the_notes() -> None:
    names = set()
    for name in ("x", "y"):
        asides = Asides()
        asides.taken_from(NUMBER.format(1, name))
        names.add(asides.added_to(("pictures.js", "first;\n"))[0])
    assert len(names) == 2
