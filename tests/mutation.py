"""Change the code in small ways and see whether its tests notice: ``python -m tests.mutation [MODULE ...]``."""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import os
import random
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "core" / "foreword"

RESOLVE = (
    "tests/core/test_mutants_resolve.py",
    "tests/core/test_what_is_said.py",
    "tests/core/test_fold_rules.py",
    "tests/core/test_text.py",
    "tests/core/test_resolve.py",
    "tests/core/test_gates.py",
)
AGAIN = "tests/core/test_resolve_again.py"
POLICY = (
    "tests/core/test_policy.py",
    "tests/core/test_mutants_policy.py",
    "tests/core/test_limits.py",
    "tests/core/test_fold_rules.py",
)
TEMPLATES = ("tests/core/test_template.py", "tests/core/test_mutants_template.py", "tests/core/test_jinja.py")
SCANNER = (
    "tests/security/test_mutants_scan.py",
    "tests/security/test_mutants_code.py",
    "tests/security/test_scan.py",
)
TESTS = {
    "_resolve": ("tests/core/test_resolve.py", *RESOLVE, AGAIN),
    "_resolve_changed": (AGAIN, "tests/core/test_mutants_resolve.py"),
    "_resolution": ("tests/core/test_mutants_resolve.py", *RESOLVE, AGAIN),
    "_folded": (*RESOLVE, AGAIN),
    "_decided": (*RESOLVE, AGAIN),
    "_stack": ("tests/core/test_gates.py", *RESOLVE, AGAIN),
    "_remade": ("tests/core/test_remade.py", "tests/core/test_variants.py"),
    "_plain_edit": (
        "tests/core/test_gates.py",
        "tests/core/test_first_looks.py",
        "tests/core/test_prepare.py",
        "tests/core/test_drafts.py",
        "tests/core/test_exchange.py",
    ),
    "_exchange": ("tests/core/test_exchange.py",),
    "files/_exchange": ("tests/core/test_exchange.py",),
    "_overlay": ("tests/core/test_fleet.py", "tests/core/test_remade.py"),
    "_own": ("tests/core/test_fleet.py",),
    "files/_plain_reading": ("tests/core/test_read_gates.py",),
    "markdown/_plain_front_matter": ("tests/core/test_plain_front_matter.py",),
    "_fold": RESOLVE,
    "_quarrels": RESOLVE,
    "_standing": RESOLVE,
    "_text": ("tests/core/test_text.py", *RESOLVE),
    "_titles": ("tests/core/test_resolve.py", *RESOLVE),
    "_policy": POLICY,
    "_limits": ("tests/core/test_limits.py", "tests/core/test_mutants_policy.py"),
    "templates/_names": TEMPLATES,
    "templates/_jinja_gate": (TEMPLATES[1], TEMPLATES[2]),
    **{f"scan/{file.stem}": SCANNER for file in sorted(PACKAGE.glob("scan/_*.py")) if file.stem != "__init__"},
}
"""The tests of each module, the quickest first."""

EXAMPLES = 15
"""How many examples a property test has here, where it does not say so itself."""

SLOWEST = 25
"""The most seconds of work that one file of tests may take over a mutant; more is noticed too, as a hang."""

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult}


class Mutant(NamedTuple):
    """One change of one module."""

    module: str
    line: int
    change: str
    tree: Callable[[], ast.Module]


def main() -> int:
    """Run the mutants, print each that survives, and return 1 when too few were killed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"default: all of {', '.join(TESTS)}")
    parser.add_argument("--sample", type=int, help="so many mutants, drawn at random (default: all)")
    parser.add_argument("--seed", type=int, default=1, help="what the sample is drawn with (default: 1)")
    parser.add_argument("--least", type=float, default=85, help="the percentage to be killed (default: 85)")
    given = parser.parse_args()
    modules = given.modules or list(TESTS)
    if unknown := set(modules) - set(TESTS):
        parser.error(f"there are no tests for {', '.join(sorted(unknown))}")
    mutants = [mutant for module in modules for mutant in _mutants(module)]
    every = Counter(mutant.module for mutant in mutants)
    if given.sample is not None and given.sample < len(mutants):
        mutants = random.Random(given.seed).sample(mutants, given.sample)
        mutants.sort(key=lambda mutant: (modules.index(mutant.module), mutant.line))
    _prepare()
    suites = {TESTS[module]: module for module in modules}
    if broken := [module for module in suites.values() if not _passes(Mutant(module, 0, "", partial(_tree, module)))]:
        print(f"the tests of {', '.join(broken)} fail, or take too long, without any change")
        return 2
    tried: Counter[str] = Counter()
    killed: Counter[str] = Counter()
    for mutant in mutants:
        tried[mutant.module] += 1
        if _passes(mutant):
            print(f"survived: {mutant.module}.py:{mutant.line}: {mutant.change}", flush=True)
        else:
            killed[mutant.module] += 1
    print(f"{'module':22} {'mutants':>7} {'tried':>6} {'killed':>6}")
    for module in modules:
        print(f"{module:22} {every[module]:>7} {tried[module]:>6} {killed[module]:>6}")
    share = 100 * killed.total() / max(tried.total(), 1)
    print(f"{'together':22} {every.total():>7} {tried.total():>6} {killed.total():>6}  {share:.1f} %")
    return 0 if share >= given.least else 1


# -- mutants ---------------------------------------------------------------------------------------


def _tree(module: str) -> ast.Module:
    return ast.parse(_path(module).read_text())


def _path(module: str) -> Path:
    return PACKAGE / f"{module}.py"


def _mutants(module: str) -> Iterator[Mutant]:
    """Give every mutant of a module, in the order of its text."""
    original = _tree(module)
    nodes = [node for node in _code(original) if hasattr(node, "lineno")]
    for node in nodes:
        for change, changed in _changes(node):
            yield Mutant(module, node.lineno, change, partial(_exchanged, original, node, changed))


def _exchanged(tree: ast.Module, node: ast.AST, changed: ast.AST) -> ast.Module:
    # The copy keeps the node itself, by which its place is found.
    copied = deepcopy(tree, {id(node): node})
    return ast.fix_missing_locations(_Exchange({id(node): changed}).visit(copied))


class _Exchange(ast.NodeTransformer):
    """Puts one node in the place of another, found by identity."""

    def __init__(self, holder: dict[int, ast.AST]) -> None:
        self._holder = holder

    def visit(self, node: ast.AST) -> ast.AST:
        changed = self._holder.get(id(node))
        return changed if changed is not None else self.generic_visit(node)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs: no docstrings, annotations, decorators, texts for people, nothing for type checkers only."""
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_silent(child):
                continue
            yield from _code(child)


def _is_silent(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__" or ast.unparse(node.value).startswith("Literal[")
    return isinstance(node, (ast.Import, ast.ImportFrom))


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Give what may be put in the place of a node, with what it is called."""
    match node:
        case ast.Compare():
            for place, operator in enumerate(node.ops):
                other = COMPARED[type(operator)]
                yield _told(node, ast.Compare(node.left, _with(node.ops, place, other()), node.comparators))
        case ast.BoolOp():
            yield _told(node, ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values))
        case ast.UnaryOp(op=ast.Not()):
            yield _told(node, node.operand)
        case ast.BinOp() if type(node.op) in COMPUTED:
            yield _told(node, ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right))
        case ast.Constant(value=bool()):
            yield _told(node, ast.Constant(not node.value))
        case ast.Constant(value=int()):
            yield _told(node, ast.Constant(node.value + 1))
        case ast.Constant(value=str()) if " " not in node.value:
            yield _told(node, ast.Constant(f"XX{node.value}"))
        case ast.Return(value=ast.expr()) if ast.unparse(node.value) != "None":
            yield _told(node, ast.Return(ast.Constant(None)))
        case ast.Raise() | ast.AugAssign() | ast.Expr() | ast.Delete():
            yield _told(node, ast.Pass())
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield _told(node, ast.Pass())
        case ast.Continue():
            yield _told(node, ast.Break())
        case ast.Break():
            yield _told(node, ast.Continue())
        case ast.If() | ast.While() | ast.IfExp() if isinstance(node.test, (ast.Name, ast.Call, ast.Attribute)):
            changed = deepcopy(node)
            changed.test = ast.UnaryOp(ast.Not(), node.test)
            yield f"not: {ast.unparse(node.test)}", changed
        case _:
            return


def _with(operators: Sequence[ast.cmpop], place: int, other: ast.cmpop) -> list[ast.cmpop]:
    return [*operators[:place], other, *operators[place + 1 :]]


def _told(node: ast.AST, changed: ast.AST) -> tuple[str, ast.AST]:
    before, after = (" ".join(ast.unparse(ast.fix_missing_locations(one)).split())[:90] for one in (node, changed))
    return f"{before}  ->  {after}", changed


# -- runs ------------------------------------------------------------------------------------------


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads the one module in its changed form."""

    def __init__(self, name: str, path: Path, code: CodeType) -> None:
        self._name = name
        self._path = path
        self._code = code

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(self._code, vars(module))


def _prepare() -> None:
    """Import what every child needs and none changes."""
    import click.testing
    import jinja2.sandbox
    import markdown_it
    import pluggy
    import pydantic
    import pytest
    import yaml
    from hypothesis import settings

    settings.register_profile("mutation", max_examples=EXAMPLES, database=None, deadline=None, derandomize=True)
    os.chdir(ROOT)
    assert all((click, jinja2, markdown_it, pluggy, pydantic, pytest, yaml))
    assert "foreword" not in sys.modules


def _passes(mutant: Mutant) -> bool:
    """Run the tests over a mutant, file by file, each in a child process; return whether none noticed anything."""
    files = [file for file in dict.fromkeys(TESTS[mutant.module]) if (ROOT / file).exists()]
    return bool(files) and all(_unnoticed(mutant, file) for file in files)


def _unnoticed(mutant: Mutant, file: str) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(_child(mutant, file))
    _, status = os.waitpid(child, 0)
    return status == 0


def _child(mutant: Mutant, file: str) -> int:
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (SLOWEST, SLOWEST))
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    path = _path(mutant.module)
    try:
        code = compile(mutant.tree(), str(path), "exec")
        sys.meta_path.insert(0, _Mutated("foreword." + mutant.module.replace("/", "."), path, code))
        quiet = [
            "-p",
            "no:cacheprovider",
            "--hypothesis-profile=mutation",
            # How long something takes says little while other work is going on.
            "-k",
            "not second and not megabytes and not time_is_linear",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
        ]
        return int(pytest.main(["-x", "-q", *quiet, file]))
    except BaseException:
        return 9


if __name__ == "__main__":
    sys.exit(main())
