"""Does the build write the whole site, the same bytes each time, and nothing at all where something is wrong?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from publisher.build import Builder, Options
from publisher.command import main
from publisher.figures.kit.figure import SteppedFigure
from publisher.output import MARKER
from schema.recording import load_cards
from schema.results import Failed
from tests.mini import cards as mini_cards
from tests.mini import golden
from tests.mini.copies import MiniSite

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture
def site(tmp_path):
    return MiniSite(tmp_path)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# ---- what a build writes ------------------------------------------------------------------------------------------


def test_the_mini_site_says_what_it_said():
    found = golden.golden_files(golden.build())
    kept = {path.name: path.read_text(encoding="utf-8") for path in golden.GOLDEN.iterdir()}
    assert found == kept, f"if the change is meant: {golden.RENEW}"


def test_the_mini_recordings_are_what_their_maker_writes(tmp_path):
    mini_cards.write_cards(tmp_path)
    for path in tmp_path.rglob("*.yaml"):
        kept = golden.HERE / "recordings" / path.relative_to(tmp_path)
        assert kept.read_text(encoding="utf-8") == path.read_text(encoding="utf-8"), golden.RENEW


def test_every_page_is_there_and_counted(site, capsys):
    assert main([*site.arguments, "--out", str(site.root / "dist")]) == 0
    pages = {str(p.relative_to(site.root / "dist")) for p in (site.root / "dist").rglob("*.html")}
    expected = {"index.html", "sums/index.html", "claims/index.html", "glossary/index.html", "sums/compare/index.html"}
    assert pages == expected | {f"sums/{card}/index.html" for card in ("mini-alpha", "mini-beta")}
    assert re.match(r"7 pages, 2 figures, 2 cards in .*dist: \d+\.\d\d s\n", capsys.readouterr().out)


class Links(HTMLParser):
    """Every address a page refers to, its ids, and whether a script or style could run from a text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name == "id" and value is not None:
                self.ids.append(value)


def test_every_link_is_relative_and_leads_somewhere(site):
    out = site.root / "dist"
    assert main([*site.arguments, "--out", str(out)]) == 0
    for page in out.rglob("*.html"):
        parsed = Links(page.read_text(encoding="utf-8"))
        assert len(parsed.ids) == len(set(parsed.ids)), page
        for link in parsed.links:
            if link.startswith("data:"):
                continue
            path, _, fragment = link.partition("#")
            assert not path.startswith(("/", "http")), (page, link)
            target = (page.parent / path).resolve() if path else page
            assert target.is_file(), (page, link)
            if fragment and target.suffix == ".html" and "/" not in fragment:
                assert fragment in Links(target.read_text(encoding="utf-8")).ids, (page, link)


def test_nothing_of_a_recording_becomes_markup(site):
    hostile = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;'
    for path in (site.root / "recordings/mini-beta").rglob("*.yaml"):
        path.write_text(
            path.read_text(encoding="utf-8").replace("Mini <b>Beta</b> & Sons", f"'{hostile}'"), encoding="utf-8"
        )
    built = site.build()
    assert built.cards == ("mini-alpha", "mini-beta")
    for name, text in built.files.items():
        if name.endswith(".html"):
            tags = Links(str(text)).tags
            assert "img" not in tags, name
            assert "alert(1)</script>" not in str(text), name
    assert "&lt;img src=x" in built.files["sums/mini-beta/index.html"]
    assert "<img" not in built.files.get("feed.xml", "")


HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&amp;'


def test_nothing_of_a_plain_text_of_content_becomes_markup(site):
    """Every text that is printed as it was typed: of the site, an article, the words and the instructions."""
    quoted = HOSTILE.replace('"', "'")
    for file, old, new in [
        ("content/site.yaml", "title: Mini", f'title: "Mini {quoted}"'),
        ("content/site.yaml", "tagline: A site", f'tagline: "{quoted}"\n# A site'),
        ("content/sums/article.yaml", "title: Sums of rows", f'title: "{quoted}"'),
        ("content/terms.yaml", "term: row", f'term: "row {quoted}"'),
        ("content/glossary.yaml", "name: Shuffle", f'name: "{quoted}"'),
        ("content/glossary.yaml", "does: Hands", f'does: "{quoted}"\n  # Hands'),
        ("content/glossary.yaml", "BFLY: the lane", f'"{quoted}": "{quoted}"\n    # the lane'),
        ("content/sums/01-the-sum.md", "{term}`row`", f"{{term}}`row {quoted}`, {{term}}`{quoted} <row>`"),
        ("content/sums/01-the-sum.md", "{definition}`4 bytes`", f"{{definition}}`{quoted}`"),
        ("content/sums/02-two-rungs.md", "|the plain one`", f"|{quoted}`"),
        ("content/sums/02-two-rungs.md", "## Elsewhere", f"## `{HOSTILE}` elsewhere\n\n### `{HOSTILE}`"),
        ("content/sums/02-two-rungs.md", "# Two rungs", f"# Two `{HOSTILE}` rungs"),
        ("content/sums/01-the-sum.md", "Why so few?", f"Why `{HOSTILE}`?"),
        ("content/sums/01-the-sum.md", "No number", f'[`{HOSTILE}`](https://example.org/"onclick=alert(3)) \\<img>'),
    ]:
        site.edit(file, old, new)
    site.append(
        "content/sums/01-the-sum.md", f'```x"onclick=alert(4)\n{HOSTILE}\n```\n\n| `{HOSTILE}` |\n|---|\n| `a` |'
    )
    site.more["site_url"] = "https://example.org/x"
    files = site.build().files
    index = next((site.root / "staging" / "assets").glob("search-index.*.js"))
    assert HOSTILE.split("<img")[0] in index.read_text(encoding="utf-8")  # a script of its own: it is no markup there
    for name, text in files.items():
        if name.endswith(".html"):
            parsed = Links(str(text))
            assert "img" not in parsed.tags, name
            assert not any(attribute.startswith("on") for attribute in parsed.attributes), name
            assert parsed.tags.count("script") == str(text).count("<script"), name
        if name.endswith((".html", ".xml")):
            assert "<img" not in str(text), name
            assert "<script>" not in str(text), name
    assert "&lt;img src=x" in files["sums/index.html"]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("content/terms.yaml", "row:", "'x\"><script>':"),
        ("content/glossary.yaml", "SHFL:", "'X\"><script>':"),
        ("content/site.yaml", "card: mini-alpha", "card: '\"><script>'"),
        ("content/sums/article.yaml", "subject: sums", "subject: '\"><script>'"),
        ("content/sums/01-the-sum.md", "sums/plain#compute", 'sums/plain#"><script>'),
        ("content/sums/02-two-rungs.md", "{figure} bandwidth", '{figure} bandwidth"><script>'),
        ("content/sums/02-two-rungs.md", ":condition: cold", ':id: "><script>'),
        ("content/sums/02-two-rungs.md", ":condition: cold", ':condition: "><script>'),
        ("content/sums/02-two-rungs.md", "claim} faster", 'claim} "><script> + faster'),
        ("content/sums/02-two-rungs.md", "`bandwidth/warp`", '`bandwidth/"><script>`'),
        ("content/sums/02-two-rungs.md", "`somewhere.sums", '`"><script>.sums'),
    ],
)
def test_what_names_something_cannot_hold_markup(site, file, old, new):
    site.edit(file, old, new)
    assert any(fault.startswith(f"{file}:") for fault in site.faults())


def test_plotly_makes_no_link_of_a_string(site):
    """Its texts know tags of their own; a figure that shows a recorded string must not carry one over."""
    code = (site.root / "content/sums/figures/bandwidth.py").read_text(encoding="utf-8")
    site.write(
        "content/sums/figures/bandwidth.py", code.replace('"x": names', '"x": ["<a href=\'https://x.y\'>", "</A >"]')
    )
    files = site.build().files
    script = next(str(text) for name, text in files.items() if re.fullmatch(r"sums/mini-alpha/pictures\.\w+\.js", name))
    assert "&lt;a href=" in script
    assert "&lt;/A >" in script
    assert not re.search("<[/ ]*a", script, re.IGNORECASE)


def test_cards_switch_to_each_other_and_home(site):
    files = site.build().files
    for place, others in {
        "sums": ["index.html", "mini-beta/index.html", "compare/index.html"],
        "sums/mini-alpha": ["../index.html", "../mini-beta/index.html", "../compare/index.html"],
        "sums/mini-beta": ["../index.html", "../mini-beta/index.html", "../compare/index.html"],
        "sums/compare": ["../index.html", "../mini-beta/index.html", "index.html"],
    }.items():
        switch = re.search(r'<nav class="cards".*?</nav>', str(files[f"{place}/index.html"]), re.DOTALL)
        assert switch
        assert re.findall(r'href="([^"]+)"', switch[0]) == others


def test_the_compare_page_names_the_card_of_every_mark_and_table(site):
    files = site.build().files
    html = str(files["sums/compare/index.html"])
    assert [text for text in re.findall(r"<summary>(.*?)</summary>", html) if "Beta" in text or "Alpha" in text] == [
        "Mini Alpha",
        "Mini &lt;b&gt;Beta&lt;/b&gt; &amp; Sons",
    ]
    script = next(str(text) for name, text in files.items() if re.fullmatch(r"sums/compare/pictures\.\w+\.js", name))
    assert [script.count(f'"name":"{name}"') for name in ("Mini Alpha", "Mini &lt;b&gt;Beta&lt;/b&gt; &amp; Sons")] == [
        1,
        1,
    ]


def test_one_card_has_nothing_to_compare_with(site):
    for path in (site.root / "recordings/mini-beta").rglob("*.yaml"):
        path.unlink()
    files = site.build().files
    assert not any("compare" in name for name in files)
    assert "compare/index.html" not in files["sums/index.html"]


def test_no_card_takes_the_name_of_a_page(site):
    card = mini_cards.ALPHA.model_copy(update={"slug": "compare"})
    mini_cards.write(site.root / "recordings", card, "code", mini_cards.code())
    assert any("no card can be called compare" in fault for fault in site.faults())


def test_a_card_of_its_own_needs_no_code(site):
    card = mini_cards.ALPHA.model_copy(update={"slug": "mini-gamma", "name": "Mini Gamma"})
    mini_cards.write(
        site.root / "recordings", card, "times", mini_cards.times(9, {"plain": (10.0, 9.0), "warp": (5.0, 4.0)})
    )
    built = site.build()
    assert built.cards == ("mini-alpha", "mini-beta", "mini-gamma")
    assert "Mini Gamma" in built.files["sums/mini-gamma/index.html"]
    assert "mini-gamma/index.html" in built.files["sums/index.html"]


def test_a_figure_that_a_card_cannot_draw_becomes_a_sentence(site):
    (site.root / "recordings/mini-beta/sums/times.yaml").unlink()
    mini_cards.write(site.root / "recordings", mini_cards.BETA, "code", mini_cards.code())
    html = str(site.build().files["sums/mini-beta/index.html"])
    assert "rb-figure" not in Links(html).tags
    assert "has no recording of sums/times" in html
    assert "python -m recorder --gpu 0 --only sums/times" in html


def test_an_experiment_that_failed_whole_says_why(site):
    mini_cards.write(site.root / "recordings", mini_cards.BETA, "times", Failed(failed="the <driver> went away"))
    mini_cards.write(site.root / "recordings", mini_cards.BETA, "code", mini_cards.code())
    html = str(site.build().files["sums/mini-beta/index.html"])
    assert (
        html.count("has no recording of sums/times, which failed: the &lt;driver&gt; went away") > 5
    )  # prose and figure
    assert "rb-figure" not in Links(html).tags
    assert "<dt>sums/times</dt><dd>failed: the &lt;driver&gt; went away." in html


def test_a_compiled_card_has_no_pages_but_is_evidence(site):
    site.write(
        "content/sums/figures/every_card.py",
        "from publisher.figures.kit.figure import Missing\n\n\ndef draw(evidence):\n"
        "    raise Missing('cards: ' + ' '.join(evidence.cards), 'x')\n",
    )
    site.append("content/sums/01-the-sum.md", ":::{figure} every-card\n:::")
    none = mini_cards.NONE
    fields = {name: none for name in type(mini_cards.ALPHA).model_fields if name not in ("slug", "name", "arch")}
    card = mini_cards.ALPHA.model_copy(update={"slug": "sm_120", "name": "sm_120", "arch": "sm_120", **fields})
    mini_cards.write(site.root / "recordings", card, "code", mini_cards.code())
    files = site.build().files
    assert not any("sm_120" in name for name in files)
    assert "cards: mini-alpha mini-beta sm_120" in files["sums/index.html"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [({"quick": True}, "quick recording"), ({"conditions": "throttled"}, "lowered its clocks")],
)
def test_a_doubtful_recording_marks_the_page(site, changes, sentence):
    if changes.get("conditions") == "throttled":
        changes = {
            "conditions": {
                "sm_clock_MHz": 900, "memory_clock_MHz": 900, "power_W": 700.0, "temperature_C": 90,
                "throttle_reasons": ["thermal"], "other_processes": 0,
            }
        }  # fmt: skip
    assert sentence not in site.build().files["sums/index.html"]
    mini_cards.write(site.root / "recordings", mini_cards.ALPHA, "code", mini_cards.code(), **changes)
    files = site.build().files
    assert sentence in files["sums/index.html"]
    assert sentence not in files["sums/mini-beta/index.html"]


def test_feed_and_canonical_links_only_where_the_address_is_known(site):
    without = site.build().files
    assert "feed.xml" not in without
    assert "canonical" not in without["sums/index.html"]
    site.more["site_url"] = "https://example.org/x/"
    files = site.build().files
    assert '<link rel="canonical" href="https://example.org/x/sums/">' in files["sums/index.html"]
    assert '<link rel="canonical" href="https://example.org/x/sums/">' in files["sums/mini-alpha/index.html"]
    assert '<link rel="canonical" href="https://example.org/x/sums/mini-beta/">' in files["sums/mini-beta/index.html"]
    assert "<loc>https://example.org/x/sums/mini-beta/</loc>" in files["sitemap.xml"]


def test_a_page_names_its_picture_where_the_address_is_known_and_one_is_kept(site, tmp_path):
    site.more["stills"] = tmp_path
    site.more["site_url"] = "https://example.org/x/"
    built = site.build()
    assert "og:image" not in built.files["sums/index.html"]
    for share in built.shares:
        (tmp_path / share.name).write_bytes(share.line.encode())
    files = site.build().files
    alpha, beta = built.shares
    assert f'content="https://example.org/x/sums/mini-alpha/{alpha.name}"' in files["sums/index.html"]
    assert f'content="https://example.org/x/sums/mini-beta/{beta.name}"' in files["sums/mini-beta/index.html"]
    assert files[f"sums/mini-beta/{beta.name}"] == beta.line.encode()
    del site.more["site_url"]
    assert not any(name.endswith(".png") for name in site.build().files)


def test_all_data_of_an_article_is_one_file(site):
    import json

    data = json.loads(site.build().files["sums/mini-alpha/data.json"])
    assert data["figures"]["bandwidth"]["columns"] == ["rung", "GB/s"]
    assert sorted(data["recordings"]) == ["sums/code", "sums/times"]
    card = load_cards(site.root / "recordings")["mini-alpha"]
    samples = card.recordings["sums", "times"].results.rungs["warp"].cold.samples_us
    assert data["recordings"]["sums/times"]["results"]["rungs"]["warp"]["cold"]["samples_us"] == samples


# ---- stale recordings -----------------------------------------------------------------------------------------------


def test_a_changed_kernel_makes_its_recordings_stale(site):
    site.edit("kernels/sums/02_warp.cu", "step /= 2", "step >>= 1")
    faults = site.faults()
    assert [fault.split(":")[0] for fault in faults] == [
        "recordings/mini-alpha/sums/code.yaml",
        "recordings/mini-alpha/sums/times.yaml",
        "recordings/mini-beta/sums/times.yaml",
    ]
    assert "Since sums/code was recorded on Mini Alpha: 02_warp.cu has changed." in faults[0]
    assert "python -m recorder --gpu 0 --force --only sums/code" in faults[0]
    site.more["allow_stale"] = True
    assert (
        "Since sums/code was recorded on Mini Alpha: 02_warp.cu has changed." in site.build().files["sums/index.html"]
    )


def test_a_comment_makes_nothing_stale(site):
    site.edit("kernels/sums/02_warp.cu", "// What to expect:", "// What one may expect:")
    assert site.faults() == []


def test_a_kernel_shorter_than_the_lines_that_its_listing_names_is_stale(site):
    site.edit("recordings/mini-alpha/sums/code.yaml", "L19 ", "L999 ")
    faults = site.faults()
    assert len(faults) == 1
    assert "Since sums/code was recorded on Mini Alpha: 01_plain.cu has changed." in faults[0]


def test_sass_that_is_none_is_a_fault_of_its_line(site):
    site.edit("recordings/mini-alpha/sums/code.yaml", "0010 L- P- EXIT", "no instruction")
    faults = site.faults()
    lines = (site.root / "recordings/mini-alpha/sums/code.yaml").read_text().splitlines()
    at = next(n for n, line in enumerate(lines, start=1) if "no instruction" in line)
    assert f"recordings/mini-alpha/sums/code.yaml:{at}" in [fault.split(": ")[0] for fault in faults]


def test_a_kernel_that_is_gone_is_a_fault(site):
    (site.root / "kernels/sums/02_warp.cu").unlink()
    assert any(fault.startswith("kernels/sums/02_warp.cu") for fault in site.faults())


def test_a_ladder_that_has_changed_makes_its_recordings_stale(site):
    site.edit("kernels/sums/ladder.py", '"columns": 1024}', '"columns": 512}')
    faults = site.faults()
    assert len(faults) == 3
    assert "the declared problem was rows 4096, columns 1024 and is rows 4096, columns 512" in faults[0]


def test_a_ladder_that_cannot_be_used_is_a_fault(site):
    site.edit("kernels/sums/ladder.py", 'role="out"', 'role="outwards"')
    (fault,) = site.faults()
    assert fault.startswith("kernels/sums/ladder.py:")
    assert "a role is one of in, out, inout; 'outwards' is none" in fault


def test_no_page_shows_numbers_of_the_practice_device(site):
    site.edit("recordings/mini-beta/sums/times.yaml", "practice: false", "practice: true")
    (fault,) = site.faults()
    assert fault.startswith("recordings/mini-beta/sums/times.yaml:")
    assert "was made by the practice device, and its numbers are none; record it on a card" in fault


# ---- the command -----------------------------------------------------------------------------------------------------


def test_the_same_inputs_give_the_same_bytes(site, tmp_path):
    """In two folders, from two working directories, with other hash seeds, clocks and time zones."""
    for i, (where, zone) in enumerate(((REPOSITORY, "UTC"), (tmp_path, "Asia/Tokyo"))):
        environment = os.environ | {"PYTHONHASHSEED": str(i + 1), "TZ": zone, "PYTHONPATH": str(REPOSITORY)}
        command = [
            sys.executable,
            str(REPOSITORY / "build.py"),
            *site.arguments,
            "--out",
            str(tmp_path / f"d{i}" / "dist"),
        ]
        subprocess.run(command, cwd=where, env=environment, check=True, capture_output=True)
    first, second = tree(tmp_path / "d0"), tree(tmp_path / "d1")
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_a_failing_build_leaves_the_old_site(site, capsys):
    out = site.root / "dist"
    assert main([*site.arguments, "--out", str(out)]) == 0
    before = tree(out)
    line = site.append("content/sums/01-the-sum.md", "{value}`sums.wrap.cold` and 5 ms")
    capsys.readouterr()
    assert main([*site.arguments, "--out", str(out)]) == 1
    assert tree(out) == before
    said = capsys.readouterr().err
    assert f"01-the-sum.md:{line}: sums.wrap.cold: sums has no wrap; did you mean warp?" in said
    assert said.endswith("2 faults; nothing was written.\n")
    assert sorted(p.name for p in site.root.iterdir()) == ["content", "dist", "kernels", "recordings"]


def test_a_new_build_replaces_the_old_one_whole(site):
    out = site.root / "dist"
    assert main([*site.arguments, "--out", str(out)]) == 0
    (out / "left-over.html").write_text("old", encoding="utf-8")
    assert main([*site.arguments, "--out", str(out)]) == 0
    assert not (out / "left-over.html").exists()


def test_a_folder_that_is_not_ours_is_refused(site, capsys):
    out = site.root / "thesis"
    site.write("thesis/chapter-1.tex", "years of work")
    assert main([*site.arguments, "--out", str(out)]) == 2
    assert tree(out) == {"chapter-1.tex": b"years of work"}
    assert "was not written by build.py" in capsys.readouterr().err


def test_an_empty_folder_and_a_new_one_are_accepted(site):
    (site.root / "empty").mkdir()
    for name in ("empty", "deep/and/new"):
        assert main([*site.arguments, "--out", str(site.root / name)]) == 0
        assert (site.root / name / MARKER).exists()


def test_check_writes_nothing(site, capsys):
    out = site.root / "dist"
    assert main([*site.arguments, "--out", str(out), "--check"]) == 0
    assert not out.exists()
    assert "checked, nothing written" in capsys.readouterr().out
    site.append("content/sums/01-the-sum.md", "{term}`rwo`")
    assert main([*site.arguments, "--out", str(out), "--check"]) == 1


@pytest.mark.parametrize("arguments", [["--no-such-option"], ["--port", "many"], ["--site-url", "example.org"]])
def test_wrong_usage_exits_with_2(arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2


def test_diff_is_printed(site, capsys):
    new = site.root / "new"
    mini_cards.write(new, mini_cards.ALPHA, "times", mini_cards.times(3, {"plain": (40.0, 31.0), "warp": (50.0, 8.0)}))
    arguments = ["--content", str(site.root / "content"), "--kernels", str(site.root / "kernels")]
    assert main([*arguments, "--recordings", str(new), "--diff", str(site.root / "recordings")]) == 0
    said = capsys.readouterr().out
    assert "faster(sums.warp.cold, sums.plain.cold): holds -> does not hold" in said
    assert "mini-beta: only in the old recordings" in said


def test_no_recordings_is_a_sentence(site, capsys):
    for card in ("mini-alpha", "mini-beta"):
        for path in sorted((site.root / "recordings" / card).rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    assert any("no card has been recorded; run: python -m recorder --gpu 0" in fault for fault in site.faults())
    assert main(["--recordings", str(site.root / "nowhere"), "--content", str(site.root / "content")]) == 1
    assert "nowhere:1: is not a folder" in capsys.readouterr().err


def test_a_broken_recording_is_named_with_the_other_faults(site):
    site.edit("recordings/mini-beta/sums/times.yaml", "schema: 2", "schema: 2\nextra: {a: 1}")
    line = site.append("content/sums/01-the-sum.md", "5 ms")
    faults = site.faults()
    assert any(fault.startswith("recordings/mini-beta/sums/times.yaml:2: extra:") for fault in faults), faults
    assert any(fault.startswith(f"content/sums/01-the-sum.md:{line}: '5 ms'") for fault in faults)


# ---- figures -----------------------------------------------------------------------------------------------------


def figure_module(trace: str, steps: str) -> str:
    """A module whose figure has one trace of that type and these steps."""
    arguments = f"'t', 'a', ({{'type': '{trace}'}},), {{}}, {{'': {steps}}}, DataTable((), ()), (), 'x'"
    return f"from publisher.figures.kit.figure import *\ndef draw(evidence):\n    return SteppedFigure({arguments})\n"


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("def draw(evidence):\n    return 3", "gave int, not a SteppedFigure"),
        ("def draw(evidence):\n    return evidence.nothing", "failed on Mini Alpha: AttributeError"),
        ("def paint(evidence): ...", "has no function draw"),
        ("def draw(evidence:\n", "cannot be loaded: SyntaxError"),
        ("def draw(evidence, wanted): ...", "needs the option :wanted: value"),
        (
            figure_module("heatmap", "(Step('s', 's', 's'),)"),
            "a trace of type heatmap",
        ),
        (
            figure_module("bar", "(Step('s', 's', 's'),) * 2"),
            "two steps of one slug",
        ),
        (
            figure_module("bar", "(Step('s', 's', 's', ({},), (4,)),)"),
            "needs the number of a trace that exists",
        ),
    ],
)  # fmt: skip
def test_a_bad_figure_module_is_a_fault_of_its_chapter(site, code, part):
    site.write("content/sums/figures/broken.py", code)
    line = site.append("content/sums/01-the-sum.md", ":::{figure} broken\n:::")
    faults = site.faults()
    assert any(fault.startswith(f"content/sums/01-the-sum.md:{line}: ") and part in fault for fault in faults), faults


# ---- the project itself ----------------------------------------------------------------------------------------------


def test_the_articles_build_on_every_kind_of_card(mixed_cards, tmp_path):
    """Whole, slower, half recorded, with a failed rung, compiled only: no fault anywhere, and no page breaks."""
    (mixed_cards / "published").mkdir(exist_ok=True)
    for path in (REPOSITORY / "recordings" / "published").glob("*.yaml"):
        (mixed_cards / "published" / path.name).write_bytes(path.read_bytes())
    built = Builder(Options(recordings=mixed_cards, docs=REPOSITORY / "docs", allow_stale=True)).build(tmp_path)
    assert "docs/index.html" in built.files
    assert built.figures > 30
    for name, text in built.files.items():
        if name.endswith(".html"):
            parsed = Links(str(text))
            assert len(parsed.ids) == len(set(parsed.ids)), name
            assert "\x02" not in str(text), name


def test_the_committed_site_builds(tmp_path):
    """Recordings, kernels and chapters as they are in the repository: nothing stale, no figure missing."""
    built = Builder(Options(docs=REPOSITORY / "docs")).build(tmp_path)
    assert {"index.html", "docs/index.html", "claims/index.html", "glossary/index.html"} <= built.files.keys()
    first = [page for page in built.woven if page.card.slug == "nvidia-h200"]
    assert first
    for page in first:
        assert [n for n, drawn in page.figures.items() if not isinstance(drawn.figure, SteppedFigure)] == []


def test_nothing_but_kernels_and_content_knows_the_ladder():
    """Adding an article adds folders only: no code, template, style or script names a ladder."""
    allowed = re.compile(
        r"torch\.nn\.functional\.linear|torch_linear|linear-gradient|[\"']linear[\"']\s*[,}):]|linear (?:scale|axis)"
    )
    for folder in ("publisher", "recorder", "site"):
        for path in (REPOSITORY / folder).rglob("*"):
            if path.suffix in (".py", ".html", ".css", ".js"):
                text = allowed.sub("", path.read_text(encoding="utf-8"))
                found = re.search(r".*\blinear[./\"'].*", text)
                assert not found, f"{path.relative_to(REPOSITORY)}: {found and found[0]}"
