"""Which numbers with a measuring unit were typed by hand? Each is an error: pages only say what recordings say."""

from __future__ import annotations

import re

from publisher.faults import Fault

_MARK = "or mark it: {{definition}}`{literal}` or {{published}}`file.key`"
IN_TEXT = "take it from one with {{value}}`…` or {{expr}}`…`, " + _MARK
IN_TITLE = "this text is the same on every card; say it in a chapter, with {{value}}`…` or {{definition}}`{literal}`"
IN_TERM = "say it in a chapter with {{value}}`…`, or mark what the word means by itself: {{definition}}`{literal}`"

_WHAT = "a number with a unit that no recording stands behind; "

_DIGITS = r"\d[\d.,\u202f\u00a0]*"
_POWER = r"(?:[eE][-+\u2212]?\d+|\s?[×x·*]\s?10(?:\^|\*\*)?[-+\u2212]?[\d⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?"
_ONE = rf"(?:{_DIGITS}{_POWER}(?:\s?[½⅓⅔¼¾⅕⅛⅜⅝⅞])?|[.,]\d+{_POWER}|[½⅓⅔¼¾⅕⅛⅜⅝⅞])"
_NUMBER = rf"(?<![\w.])(?:{_ONE}\s*[-–—]\s*)?{_ONE}"
_PER = r"(?:\s?/\s?|\s(?:per|a|an|each)\s)"
_SIZE = (
    r"(?:[kKMGTPE]i?)?(?:Bytes?|bytes?|B)|[kKMGTPE]i?(?:bits?|b)"
    r"|(?:kilo|mega|giga|tera|kibi|mebi|gibi|tebi)(?:byte|bit)s?"
)
_TIME = (
    r"(?:[fpnmμµu]|micro|milli|nano|pico)?s(?:ec(?:ond)?s?)?|mins?|minutes?|h|hrs?|hours?|days?|weeks?"
    r"|cycles?|clocks?|ticks?"
)
_WORK = (
    r"[kKMGTPE]?(?:FL|fl)?(?:OP|op)[Ss]?|[kMGT]?(?:FLOP|IP|IOP)[Ss]"
    rf"|(?:operations?|instructions?|launches|samples|tokens)(?={_PER}(?:s|sec|second)\b)"
)
_OTHER = (
    r"[kKMGT]?Hz|[Kk]ilo[Ww]atts?|watts?|Watts?|[kmμµ]?Wh?|[kmμµ]?J|joules?|volts?|°\s?[CF]|degrees?|%|‰|percent|per\scent"
    r"|[nμµm]m|px|pixels?|[kMGT]i?[Bb]ps|times"
)
_RATE = rf"(?:{_PER}(?:s|secs?|seconds?|ms|[μµun]s|min|minute|h|hour|cycle|clock|W|watt|J|joule)\b)?"
# A product of sizes such as 16 × 4096 and a name such as 8x8 are none: nothing but words follows a factor.
_FACTOR = (
    r"[x×](?!\w)(?!\s*[\d.])|\s[x×](?=\s+(?:as|faster|slower|more|less|better|worse|the|speed)|\s*(?:[.,;:)!?]|$))"
)
_FOLD = r"\s?-?\s?fold"
_UNIT = rf"(?:[ \u00a0\u202f-]?\s?(?:{_SIZE}|{_TIME}|{_WORK}|{_OTHER}){_RATE}|{_FACTOR}|{_FOLD})(?!\w)"
_WORDS = r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred|thousand)-?fold\b"
_LITERAL = re.compile(rf"{_NUMBER}{_UNIT}|{_WORDS}")
_DECADE = re.compile(r"(?:1[89]|20)\d0s")
_A_SIZE = re.compile(rf"{_NUMBER}[ \u00a0\u202f-]?\s?(?:{_SIZE})(?!\w)")
# A head that is a unit, or ends with one after a comma or in brackets. One letter may be a name: B, W.
_HEAD = re.compile(
    rf"(?:^|.*[(\[,]\s*)(?=[^\W\d_]{{2}}|[^\w\s]|\w/)(?!times)(?:{_SIZE}|{_TIME}|{_WORK}|{_OTHER}){_RATE}\s*[)\]]?$"
)
_BARE = re.compile(rf"[-+\u2212~≈<>]?\s*(?:{_NUMBER})\s*[x×]?")


def check_column(head: str, cells: list[tuple[str, int]], file: str) -> list[Fault]:
    """A fault for every typed number below a head that has its unit. ``cells`` are texts with their lines."""
    if not _HEAD.match(head):
        return []
    typed = [(text, line) for text, line in cells if _BARE.fullmatch(text)]
    return [
        Fault(file, line, f"{text!r} below {head!r} is {_WHAT}{IN_TEXT.format(literal=text)}") for text, line in typed
    ]


def check_literals(text: str, file: str, line: int, remedy: str = IN_TEXT, sizes: bool = False) -> list[Fault]:
    """A fault for every number with a unit in ``text``, which starts at ``line`` and has a line break a line.

    ``remedy`` says what to do, with ``{literal}`` for the number. ``sizes`` lets numbers of bytes pass.
    """
    faults = []
    for found in _LITERAL.finditer(text):
        if _DECADE.fullmatch(found[0]) or (sizes and _A_SIZE.fullmatch(found[0])):
            continue
        literal = re.sub(r"\s+", " ", found[0]).strip()
        what = f"{literal!r} is {_WHAT}{remedy.format(literal=literal)}"
        faults.append(Fault(file, line + text.count("\n", 0, found.start()), what))
    return faults
