"""Is a changed YAML file or kernel published as it stands, or a fault? For changes that Hypothesis makes up."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.generated.held import Site

YAML = (
    "content/site.yaml",
    "content/terms.yaml",
    "content/glossary.yaml",
    "content/sums/article.yaml",
    "recordings/published/somewhere.yaml",
    "recordings/mini-alpha/sums/code.yaml",
    "recordings/mini-alpha/sums/times.yaml",
    "recordings/mini-beta/sums/times.yaml",
)
TEXTS = {  # where a person writes a text that pages show as it stands
    "content/site.yaml": ("title", "tagline"),
    "content/terms.yaml": ("term",),
    "content/sums/article.yaml": ("title",),
}
# Scalars that some version of YAML takes for something else than what is written, and values no measurement has.
BENT = [
    "13.10", "12:30", "1:30:00", "yes", "No", "ON", "off", "y", "~", "null", "", "0o17", "017", "0x1F", "1_000", "+5",
    ".5", "1.", "1e3", "1E400", "1e308", "1e-310", "5e-324", "-0.0", "-1", "0", ".inf", "-.inf", ".nan", "9" * 400,
    "2024-01-01", "2024-13-45", "2001-12-14 21:59:43.10", "=", "<<", "!!python/object:os.system", "&a x", "*a", "[1, 2",
    "{a: b}", "[]", "- x", "'x", '"x', '"\\x00"', '"\\ud800"', "|", ">", "| ", "x: y", "x #y", "#x", "@x", "`x`", "%x",
    "? x", "true", "True", "NaN", "None", "x" * 3000, "<b>x</b>", "\u0085", "\u2028", "é", "x\x07", "sha256:0", "sm_90",
    "\tx",
]  # fmt: skip
BYTES = [b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\x00", b"\xe9", b"\t", b"  ", b"\n", b"---\n", b"...\n", b": "]
BYTES += [b"// region: x\n", b"// endregion\n", b"/*", b'"', b"constexpr int THREADS = 7;\n", b"\xc2\x85", b"#"]
WAYS = ["gone", "twice", "deeper", "cut"]


@given(file=st.sampled_from(YAML), where=st.integers(0, 10_000), scalar=st.sampled_from(BENT) | st.text(max_size=30))
@settings(max_examples=400)
def test_a_scalar_is_published_as_it_was_written_or_refused(site: Site, file: str, where: int, scalar: str) -> None:
    site.restore()
    lines = site.text(file).split("\n")
    places = [place for place, line in enumerate(lines) if re.match(r"^\s*(- )?[\w'\".]+: \S", line)]
    place = places[where % len(places)]
    key = lines[place].partition(": ")[0]
    lines[place] = f"{key}: {scalar}"
    site.mini.write(file, "\n".join(lines).encode("utf-8", "surrogatepass"))
    got = site.publish()
    if not got.faults and key.strip() in TEXTS.get(file, ()) and not re.search(r"[#'\"\\|>\n\r\x85\u2028]", scalar):
        assert " ".join(scalar.split()) in " ".join(got.shown.split())


@given(file=st.sampled_from(YAML), line=st.integers(0, 10_000), what=st.sampled_from(WAYS))
@settings(max_examples=150)
def test_a_line_too_few_too_many_or_out_of_place(site: Site, file: str, line: int, what: str) -> None:
    site.restore()
    lines = site.text(file).split("\n")
    place = line % len(lines)
    lines[place : place + 1] = {
        "gone": [], "twice": [lines[place]] * 2, "deeper": [f"  {lines[place]}"], "cut": [lines[place][:3]],
    }[what]  # fmt: skip
    site.mini.write(file, "\n".join(lines))
    site.publish()


KERNELS = ("kernels/sums/01_plain.cu", "kernels/sums/02_warp.cu")


@given(
    file=st.sampled_from([*YAML, *KERNELS, "content/sums/01-the-sum.md", "content/sums/02-two-rungs.md"]),
    at=st.floats(0, 1, exclude_max=True),
    raw=st.sampled_from(BYTES) | st.binary(min_size=1, max_size=4),
    more=st.sampled_from([(), ("--allow-stale",)]),
)
@settings(max_examples=250)
def test_bytes_put_into_any_file(site: Site, file: str, at: float, raw: bytes, more: tuple[str, ...]) -> None:
    site.restore()
    whole = site.text(file).encode()
    place = int(at * len(whole))
    site.mini.write(file, whole[:place] + raw + whole[place:])
    site.publish(*more)
