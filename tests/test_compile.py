"""Do kernels compile without a GPU, and do constants, regions, hash and error sentences hold what they promise?"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from recorder.compile import toolkit
from recorder.compile.nvrtc import CompileError, compile_cubin
from recorder.compile.toolkit import ToolkitError, need_tools
from schema.kernel_text import (
    Region,
    SourceError,
    blank_comments,
    read_constants,
    read_regions,
    rewrite_constants,
    source_hash,
)

ROOT = Path(__file__).parent.parent
SOURCE = (ROOT / "tests" / "data" / "sass" / "tile.cu").read_text(encoding="utf-8")
NAME = "kernels/example/tile.cu"


# ---- compiling -----------------------------------------------------------------------------------------------


def test_a_cubin_and_its_options_come_back():
    made = compile_cubin(SOURCE, NAME, "sm_90")
    assert made.cubin.startswith(b"\x7fELF")
    assert {"-arch=sm_90", "-std=c++17", "-lineinfo"} <= set(made.options)
    assert not any("/" in option for option in made.options)
    assert made.log == ""


def test_a_warning_is_in_the_log():
    made = compile_cubin('extern "C" __global__ void f() { int unused; }\n', NAME, "sm_90")
    assert f"{NAME}(1): warning" in made.log


def test_constants_are_rewritten_before_compiling():
    names = ('extern "C" __global__ void f(int *p) { *p = N; }\n', "// region: constants\nconstexpr int N = 4;\n")
    source = names[1] + "// endregion\n" + names[0]
    plain, same, other = (
        compile_cubin(source, NAME, "sm_90", constants).cubin for constants in (None, {"N": 4}, {"N": 1234567})
    )
    assert plain == same
    assert other != plain
    assert (1234567).to_bytes(4, "little") in other
    assert (1234567).to_bytes(4, "little") not in plain


def test_half_and_fixed_width_headers_are_found():
    source = '#include <cuda_fp16.h>\nextern "C" __global__ void f(half *p) { *p = __hadd(*p, *p); }\n'
    assert compile_cubin(source, NAME, "sm_80").cubin


def test_a_compile_error_names_file_and_line_and_keeps_the_log():
    broken = SOURCE.replace("const int lane = threadIdx.x;", "const int lane = nowhere;")
    line = 1 + next(at for at, text in enumerate(broken.splitlines()) if "nowhere" in text)
    with pytest.raises(CompileError) as caught:
        compile_cubin(broken, NAME, "sm_90")
    assert str(caught.value).startswith(f'{NAME}:{line}: identifier "nowhere" is undefined')
    assert "errors detected in the compilation" in caught.value.log


def test_an_error_of_the_assembler_is_a_compile_error():
    with pytest.raises(CompileError, match=rf"{NAME}: it does not compile for sm_90: .*zork"):
        compile_cubin('extern "C" __global__ void f() { asm("mma.zork;"); }\n', NAME, "sm_90")


def test_logs_hold_no_folder_of_this_machine():
    with pytest.raises(CompileError) as caught:
        compile_cubin("#include <cuda_fp16.h>\n#include <no_such_header.h>\n", NAME, "sm_90")
    assert "no_such_header.h" in str(caught.value)
    folder = toolkit.find_headers().folder
    assert folder not in str(caught.value)
    assert folder not in caught.value.log


@pytest.mark.parametrize("arch", ["sm_42", "sm_999", "sm_80a", "compute_90", "90", "sm_90; rm"])
def test_an_unknown_arch_is_refused_with_those_that_are_known(arch: str):
    with pytest.raises(ToolkitError) as caught:
        compile_cubin(SOURCE, NAME, arch)
    assert repr(arch) in str(caught.value)
    assert "sm_90, sm_100" in str(caught.value)


def test_an_absent_constant_is_refused_with_those_that_exist():
    with pytest.raises(SourceError, match=r"tile.cu has no constant 'STAGES'.*STEPS, THREADS, SLICE"):
        compile_cubin(SOURCE, NAME, "sm_90", {"STAGES": 3})


# ---- tools ---------------------------------------------------------------------------------------------------


def test_versions_name_every_part():
    found = toolkit.versions()
    assert {"python", "numpy", "cuda_core", "cuda_bindings", "nvrtc", "cuobjdump", "nvdisasm", "headers"} <= set(found)
    assert all(isinstance(value, str) and value and "/" not in value for value in found.values())


def test_a_missing_tool_is_a_sentence_with_the_pip_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    for find in (lambda: toolkit.find_program("cuobjdump", lambda name: None), lambda: need_tools(lambda name: None)):
        with pytest.raises(ToolkitError, match=r"no cuobjdump.*pip install 'nvidia-cuda-cuobjdump'"):
            find()

    def missing(*_: str) -> str:
        raise ToolkitError("there is none")

    assert toolkit.versions().keys() - toolkit.versions(missing).keys() == {"cuobjdump", "nvdisasm"}


def test_a_tool_that_stops_is_an_error_with_its_words(tmp_path: Path):
    with pytest.raises(ToolkitError, match="cuobjdump stopped with exit code"):
        toolkit.run_program("cuobjdump", "-sass", str(tmp_path / "absent.cubin"))


def test_missing_headers_are_a_sentence(tmp_path: Path):
    candidates = [("wheel", None), ("toolkit", str(tmp_path))]
    with pytest.raises(ToolkitError, match=r"cuda_fp16.h.*pip install '.\[record\]'"):
        toolkit.choose_headers(candidates)
    (tmp_path / "cuda_fp16.h").touch()
    assert toolkit.choose_headers(candidates).kind == "toolkit"


def test_importing_needs_no_cuda():
    code = (
        "import sys\n"
        "sys.modules['cuda'] = None\n"
        "import schema.kernel_text, sass.listing, recorder.compile.toolkit\n"
        "import recorder.compile.nvrtc, recorder.compile.disassembly\n"
        "try:\n"
        "    recorder.compile.nvrtc.compile_cubin('', 'a.cu', 'sm_90')\n"
        "except recorder.compile.toolkit.ToolkitError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "pip install '.[record]'" in done.stdout


# ---- constants -----------------------------------------------------------------------------------------------


def test_constants_are_read_in_order():
    assert read_constants(SOURCE) == {"STEPS": 8, "THREADS": 32, "SLICE": 256}
    assert list(read_constants(SOURCE)) == ["STEPS", "THREADS", "SLICE"]


def test_only_literals_of_the_region_count():
    source = (
        "constexpr int OUTSIDE = 1;\n// region: constants\n// constexpr int COMMENTED = 2;\n"
        "constexpr int A = -3;\nconstexpr int B = A * 2;\n/* constexpr int C = 4; */\n// endregion\n"
    )
    assert read_constants(source) == {"A": -3}
    assert read_constants("int f();\n") == {}


def test_rewriting_changes_the_literals_and_nothing_else():
    new = rewrite_constants(SOURCE, {"SLICE": 4096, "STEPS": 16})
    assert read_constants(new) == {"STEPS": 16, "THREADS": 32, "SLICE": 4096}
    changed = [(a, b) for a, b in zip(SOURCE.splitlines(), new.splitlines(), strict=True) if a != b]
    assert changed == [
        (
            "constexpr int STEPS = 8;         // slices of 16 columns",
            "constexpr int STEPS = 16;         // slices of 16 columns",
        ),
        (
            "constexpr int SLICE = 0x100;     // values of W a step",
            "constexpr int SLICE = 4096;     // values of W a step",
        ),
    ]
    assert rewrite_constants(SOURCE, {}) == SOURCE


def test_a_source_without_constants_says_so():
    with pytest.raises(SourceError, match="it has none"):
        rewrite_constants("int f();\n", {"TILE": 1})


def test_a_constant_twice_is_an_error():
    source = "// region: constants\nconstexpr int A = 1;\nconstexpr int A = 2;\n// endregion\n"
    with pytest.raises(SourceError, match="k.cu:3: .*'A' is defined twice"):
        read_constants(source, "k.cu")


# ---- regions -------------------------------------------------------------------------------------------------


def test_regions_have_their_lines():
    regions = read_regions(SOURCE)
    assert list(regions) == ["constants", "load", "compute", "store"]
    lines = SOURCE.splitlines()
    for region in regions.values():
        assert region.text == "\n".join(lines[region.first_line - 1 : region.last_line])
        assert "// region" in lines[region.first_line - 2]
        assert "// endregion" in lines[region.last_line]
    assert read_regions("// region: a\nint x;\n// endregion\n") == {"a": Region(2, 2, "int x;")}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int x;\n// region: load\nint y;\n", r"k.cu:2: region 'load' is never closed"),
        ("// region: a\n// endregion\n// region: a\n// endregion\n", r"k.cu:3: region 'a' exists already, from line 1"),
        ("// region: a\n// region: b\n// endregion\n", r"k.cu:2: region 'b' begins inside region 'a' of line 1"),
        ("int x;\n// endregion\n", r"k.cu:2: '// endregion' closes nothing"),
        ("// region load\n// endregion\n", r"k.cu:1: a region needs a name"),
        ("// region: Load it\n// endregion\n", r"k.cu:1: a region needs a name"),
    ],
)
def test_broken_regions_are_errors_with_their_line(source: str, message: str):
    with pytest.raises(SourceError, match=message):
        read_regions(source, "k.cu")


# ---- the hash ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda s: "// A new first line.\n\n\n" + s,
        lambda s: s.replace("// one warp", "// thirty-two threads, it's one warp"),
        lambda s: s.replace("float d[4]", "/* the sums */ float d[4] /* of\nD */"),
        lambda s: s.replace("    ", "\t").replace("STEPS; ++step)", "STEPS ;\n\n ++step )"),
        lambda s: s.replace("\n", "\r\n"),
        lambda s: blank_comments(s),
    ],
)
def test_comments_and_layout_do_not_change_the_hash(change):
    assert change(SOURCE) != SOURCE
    assert source_hash(change(SOURCE)) == source_hash(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("STEPS = 8", "STEPS = 9"),
        ("0x100", "0x101"),
        ("wait_all;", "wait_all ;"),  # inside a string: what the assembler reads
        ("++step", "+ +step"),
        ("slice + 4", "slice - 4"),
        ("unsigned b0", "unsignedb0"),
        ("#pragma unroll 1\n", "#pragma unroll 1 "),
        ('"memory"', '"memory" /**/ "x"'),
    ],
)
def test_code_changes_the_hash(old: str, new: str):
    assert old in SOURCE
    assert source_hash(SOURCE.replace(old, new)) != source_hash(SOURCE)


def test_the_hash_has_the_recordings_form():
    kind, _, digits = source_hash(SOURCE).partition(":")
    assert kind == "sha256"
    assert len(digits) >= 16
    assert set(digits) <= set("0123456789abcdef")
    assert source_hash("int a = 1'000'000; // it's\n") == source_hash("int a = 1'000'000;\n")
    assert source_hash("#define A 1 \\\n + 2\nint x;") == source_hash("#define A 1 + 2\nint x;")
    assert source_hash("#define A 1\n + 2;\nint x;") != source_hash("#define A 1 + 2;\nint x;")
    assert source_hash('const char *u = "http://x";') != source_hash('const char *u = "http://y";')
    assert source_hash('auto r = R"(// not a comment)";') != source_hash('auto r = R"()";')
