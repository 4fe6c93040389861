"""What a template may cost at most, whoever wrote it: time and memory of mode ``names`` (T5) and of mode ``jinja``.

Both are measured in processes of their own, which nothing else slows down or fills. The probes of mode ``jinja`` are
those of tests/core/test_jinja.py.
"""

from __future__ import annotations

import json
import runpy
import string
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator, Mapping
from itertools import chain, count, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foreword.templates._names import Value, compile_names

SIZE = 64 * 1024
LONGEST = "v" * 200
"""The longest value that a stranger may give (T11)."""

OBJECTS = 1024
"""Bytes that Python's objects take for a template of any size."""

TOGETHER = 20
"""So many probes share a process."""

CORE = runpy.run_path(str(Path(__file__).parents[1] / "core" / "test_jinja.py"))
PROBES: dict[str, str] = CORE["PROBES"]
HARMLESS: set[str] = CORE["HARMLESS"]


def filled(piece: str) -> str:
    """Text that is as long as T5 lets it be, of one piece again and again."""
    return (piece * SIZE)[:SIZE]


def distinct(form: str) -> str:
    """Text that is full of placeholders, each with a name of its own, the shortest first."""
    first, rest = string.ascii_letters + "_", string.ascii_letters + "_" + string.digits
    names = chain.from_iterable(map("".join, product(first, *[rest] * more)) for more in count())
    parts: list[str] = []
    room = SIZE
    for name in names:
        room -= len(form % name)
        if room < 0:
            break
        parts.append(form % name)
    return "".join(parts).ljust(SIZE)


SHAPES = {
    "placeholders": filled("{{a}}"),
    "spaced": filled("{{ a }}"),
    "apart": filled("xy{{a}}"),
    "far apart": filled("{{a}}" + "x" * 250),
    "wide": filled("é{{a}}x"),
    "wider": "{{a}}" * 13_000 + "\U0001f600" * 100,
    "lines": filled("{{a}}\n"),
    "unregistered": filled("{{b}}"),
    "unregistered, apart": filled("éx{{b}}"),
    "unregistered, in lines": filled("{{b}}\n"),
    "unregistered, dotted": filled("{{a.a.a.a}}"),
    "of all sorts": filled("{{a}}\n\\{{a}}{{b}}\\{{b}}{{"),
    "escaped": filled("\\{{a}}"),
    "escaped, unregistered": filled("\\{{b}}"),
    "escaped, distinct": distinct("\\{{%s}}"),
    "in lines, distinct": distinct("{{%s}}\n"),
    "openings": filled("{{"),
    "spaced openings": filled("{{ "),
    "near misses": filled("{{a} "),
    "nearer misses": filled("{{ a}}"),
    "three braces": filled("{{{a}}}"),
    "dollars": filled("${{a}}"),
    "closings": filled("}}"),
    "long name": "{{" + "a" * (SIZE - 4) + "}}",
    "long escaped name": "\\{{" + "a" * (SIZE - 5) + "}}",
    "long names": filled("{{" + "a" * 60 + "}}"),
    "unclosed name": "{{" + "a" * (SIZE - 2),
    "unclosed dots": "{{" + "a." * (SIZE // 2 - 1),
    "newlines": "{{a}}" + "\n" * (SIZE - 5),
    "text": "x" * (SIZE - 5) + "{{a}}",
    "text, escaped": "x" * (SIZE - 6) + "\\{{a}}",
    "text, unregistered": "x" * (SIZE - 5) + "{{b}}",
    "full, then text": "{{a}}" * 400 + "x" * (SIZE - 2_000),
    "full, then text to an escape": "\\{{a}}" * 400 + "x" * (SIZE - 2_406) + "\\{{a}}",
    "full, then text to a name": "{{b}}" * 400 + "x" * (SIZE - 2_005) + "{{b}}",
}
VALUES: dict[str, dict[str, Value]] = {"a letter": {"a": "A"}, "nothing": {"a": ""}, "long": {"a": LONGEST}, "none": {}}
# What is to be told of them, line by line or name by name, is longer than they are.
TOLD: dict[str, tuple[str, dict[str, Value]]] = {
    "unregistered, distinct": (distinct("{{%s}}"), {}),
    "unregistered, in lines": (distinct("{{%s}}\n"), {}),
    "lines behind a value of two": (SHAPES["newlines"], {"a": "x\ny"}),
    "lines with a value of two": (SHAPES["lines"], {"a": "x\ny"}),
}
CASES: dict[str, tuple[str, Mapping[str, Value]]] = {
    **{f"{shape}: {kind}": (text, values) for shape, text in SHAPES.items() for kind, values in VALUES.items()},
    **TOLD,
}

MEASURE = """
import json, sys
from test_template_costs import memory, seconds
for name, (text, values) in json.load(sys.stdin).items():
    print(json.dumps([name, seconds(text, values), *memory(text, values)]), flush=True)
"""

BUILD = """
import json, pathlib, sys, tempfile, time
try:
    import resource
    # No probe comes near this: it saves the machine should one do so.
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
except ImportError:
    resource = None
from foreword import Builder
from foreword.config._config import load

status, refs = pathlib.Path("/proc/self/status"), pathlib.Path("/proc/self/clear_refs")

def forget():
    try:
        refs.write_text("5")
    except OSError:
        pass

def peak():
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0]) * 1024
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

variables = {"yes": True, "large": "a-" * 5_000, "huge": "a-" * 200_000}
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "prompts").mkdir()
    (root / "foreword.toml").write_text('prompts_dir = "prompts"\\n[files]\\nmax_bytes = 1048576\\n')
    for name, template in json.load(sys.stdin).items():
        text = f"---\\ntemplate: jinja\\n---\\n{template}".encode("utf-8", "surrogatepass")
        (root / "prompts/STYLE.md").write_bytes(text)
        found = []
        builder = Builder(settings=load(root / "foreword.toml"), plugins=False, on_diagnostic=found.append)
        forget()
        start = time.perf_counter()
        size = len(builder.build("Ada", variables=variables).text)
        spent = time.perf_counter() - start
        errors = [(one.place.path, one.place.line, one.message) for one in found if one.severity == "error"]
        print(json.dumps([name, spent, peak(), size, errors]), flush=True)
"""


class Cost(NamedTuple):
    """What a text takes: seconds, bytes beyond those returned, and bytes returned; and the longer of the two texts."""

    seconds: float
    beyond: int
    returned: int
    longer: int


class Built(NamedTuple):
    """What a build with a probe took, how long its prompt is, and the place and message of each error."""

    seconds: float
    peak: int
    size: int
    errors: list[tuple[str, int | None, str]]


def seconds(text: str, values: Mapping[str, Value]) -> float:
    """Processor time of the best of several runs."""
    spent: list[float] = []
    for _ in range(5):
        start = time.process_time()
        compile_names(text).render(values)
        spent.append(time.process_time() - start)
    return min(spent)


def memory(text: str, values: Mapping[str, Value]) -> tuple[int, int, int]:
    """Bytes at the peak beyond what is returned, bytes that are returned, and bytes of the longer of the two texts."""
    longer = max(sys.getsizeof(text), sys.getsizeof(compile_names(text).render(values).text))
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    template = compile_names(text)
    rendered = template.render(values)
    _, peak = tracemalloc.get_traced_memory()
    del template
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del rendered
    return peak - after, after - before, longer


def lines_of(program: str, given: object) -> Iterator[Any]:
    """What a process says about what it is given, up to its end or for a minute."""
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        output, _ = process.communicate(json.dumps(given), timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
    yield from map(json.loads, output.splitlines())


@pytest.fixture(scope="module")
def costs() -> dict[str, Cost]:
    """What each case takes."""
    return {name: Cost(*cost) for name, *cost in lines_of(MEASURE, CASES)}


@pytest.fixture(scope="module")
def builds() -> dict[str, Built]:
    """What a build with each probe takes, a few in each process."""
    names = list(PROBES)
    groups = [{name: PROBES[name] for name in names[at : at + TOGETHER]} for at in range(0, len(names), TOGETHER)]
    return {name: Built(*built) for group in groups for name, *built in lines_of(BUILD, group)}


@pytest.mark.parametrize("case", CASES)
def test_t5_a_text_of_64_kib_takes_50_milliseconds(case: str, costs: dict[str, Cost]) -> None:
    """T5: a text of 64 KiB in mode ``names`` is compiled and rendered in 50 milliseconds, whatever it holds."""
    assert costs[case].seconds <= 0.050


@pytest.mark.parametrize("case", [case for case in CASES if case not in TOLD])
def test_t5_a_text_of_64_kib_takes_twice_its_memory(case: str, costs: dict[str, Cost]) -> None:
    """T5: beyond the text and what is returned, compiling and rendering take twice the longer of the two texts."""
    assert costs[case].beyond <= 2 * costs[case].longer + OBJECTS


@pytest.mark.parametrize("case", TOLD)
def test_t5_what_is_told_of_a_text_is_in_proportion(case: str, costs: dict[str, Cost]) -> None:
    """T5: where each name is unregistered, or each line moves, what that takes in all grows with the text alone."""
    assert costs[case].beyond <= 4 * costs[case].longer
    assert costs[case].returned <= 48 * costs[case].longer


PIECES = st.sampled_from(
    [*"{}$\\ \néx\U0001f600", "{{", "}}", "{{a}}", "{{ a }}", "\\{{a}}", "{{b}}", "{{a.b}}", "{{ "]
)


@given(st.lists(PIECES, min_size=1, max_size=8).map("".join), st.sampled_from([*VALUES.values()]), st.text(max_size=9))
@settings(max_examples=40, deadline=None)
def test_t5_every_text_takes_twice_its_memory(piece: str, values: dict[str, Value], tail: str) -> None:
    """T5: the same holds of texts made of anything that means something in a template."""
    text = (piece * SIZE)[: SIZE - len(tail)] + tail
    beyond, _, longer = memory(text, values)
    assert beyond <= 2 * longer + OBJECTS
    if sys.gettrace() is None:
        assert seconds(text, values) <= 0.050


@pytest.mark.parametrize("probe", PROBES)
def test_a_jinja_template_made_to_hurt_ends_soon_and_small(probe: str, builds: dict[str, Built]) -> None:
    """T1, T10: a build with a template made to hurt ends in 2 seconds and 200 MB, with file and line or harmlessly."""
    assert probe in builds, "the process ended before this template did"
    built = builds[probe]
    assert built.seconds <= 2
    assert built.peak <= 200_000_000
    if not built.errors:
        assert probe in HARMLESS
        assert built.size <= 300_000 + len(PROBES[probe])
        return
    ((path, line, message),) = built.errors
    assert path == "prompts/STYLE.md"
    assert line is not None
    assert 4 <= line <= 4 + PROBES[probe].count("\n")
    assert "MemoryError" not in message
