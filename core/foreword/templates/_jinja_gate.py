"""The gate of mode ``jinja``: a template's tree is checked, and made ready, before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from jinja2 import nodes

from foreword.templates._jinja_rules import DOT, JinjaError
from foreword.templates._names import Value, nearest

from . import _jinja_rules as rules


class Gate:
    """Lets a template's tree pass, made ready for compilation, or raises.

    Passing bounds the work and the memory that the template takes, whatever it says. In the tree that
    has passed, a dotted variable is one plain name, and before each piece of output stands a mark: a
    piece of its own that names the kind and the line of what follows.

    Args:
        values: the registered variables.
    """

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values
        self._targets: dict[str, int] = {}
        self._nodes = 0
        self._steps = 0

    def check(self, tree: nodes.Template) -> None:
        """Check the tree and make it ready.

        Raises:
            JinjaError: the template holds something that is not allowed, or too much of it.
        """
        tree.body = self._body(tree.body, 1, 1)

    def _body(self, body: Sequence[nodes.Node], depth: int, times: int) -> list[nodes.Node]:
        ready: list[nodes.Node] = []
        for node in body:
            self._count(node, depth, times)
            if isinstance(node, nodes.Output):
                for child in node.nodes:
                    ready += self._output(child, depth + 1, times)
            elif isinstance(node, nodes.If):
                self._if(node, depth, times)
                ready.append(node)
            elif isinstance(node, nodes.For):
                self._for(node, depth, times)
                ready.append(node)
            else:
                _refuse(node, rules.STATEMENTS)
        return ready

    def _output(self, child: nodes.Expr, depth: int, times: int) -> tuple[nodes.Output, nodes.Output]:
        line = child.lineno
        if isinstance(child, nodes.TemplateData):
            self._count(child, depth, times)
            kind = rules.TEXT
        else:
            child = self._expression(child, depth, times)
            kind = rules.VALUE
        mark = nodes.TemplateData(f"{kind} {line - 1}", lineno=line)
        return nodes.Output([mark], lineno=line), nodes.Output([child], lineno=line)

    def _if(self, node: nodes.If, depth: int, times: int) -> None:
        node.test = self._expression(node.test, depth + 1, times)
        node.body = self._body(node.body, depth + 1, times)
        for place, branch in enumerate(node.elif_, 1):
            self._count(branch, depth + place, times)
            self._if(branch, depth + place, times)
        node.else_ = self._body(node.else_, depth + 1, times)

    def _for(self, node: nodes.For, depth: int, times: int) -> None:
        if node.recursive or node.test is not None:
            _fail("a loop that is recursive or has a condition is not allowed: put an {% if %} inside", node)
        if len(self._targets) == rules.MAX_LOOPS:
            _fail(f"loops are nested more than {rules.MAX_LOOPS} deep", node)
        target = node.target
        if not isinstance(target, nodes.Name) or target.name in self._targets:
            _fail("a loop takes one variable, and an inner loop another than the outer one", node)
        items, longest = self._items(node.iter, depth + 1, times)
        self._step(times * items, node)
        self._targets[target.name] = longest
        node.body = self._body(node.body, depth + 1, times * items)
        del self._targets[target.name]
        node.else_ = self._body(node.else_, depth + 1, times)

    def _items(self, source: nodes.Node, depth: int, times: int) -> tuple[int, int]:
        """How often a loop over the source runs, and how long its items are at most, as text."""
        self._count(source, depth, times)
        if isinstance(source, (nodes.List, nodes.Tuple)):
            lengths = self._constants(source, depth + 1, times)
            return len(lengths), max(lengths, default=0)
        function = source.node if isinstance(source, nodes.Call) else None
        if (
            not isinstance(source, nodes.Call)
            or not isinstance(function, nodes.Name)
            or function.name != "range"
        ):
            _fail("a loop goes over a list of constants, or over range of written-out numbers", source)
        function.name = rules.RANGE
        return len(_range(source)), len(str(rules.MAX_INTEGER))

    def _expression(self, node: nodes.Node, depth: int, times: int) -> nodes.Expr:
        self._count(node, depth, times)
        inside = depth + 1
        if isinstance(node, nodes.Const):
            self._weigh(_constant(node), node, depth, times)
        elif isinstance(node, nodes.Name):
            self._name(node, depth, times)
        elif isinstance(node, nodes.Getattr):
            return self._dotted(node, depth, times)
        elif isinstance(node, (nodes.Neg, nodes.Pos)):
            if _number(node) is None:
                _refuse(node, rules.EXPRESSIONS)
        elif isinstance(node, (nodes.List, nodes.Tuple)):
            self._constants(node, inside, times)
        elif isinstance(node, (nodes.And, nodes.Or)):
            node.left = self._expression(node.left, inside, times)
            node.right = self._expression(node.right, inside, times)
        elif isinstance(node, nodes.Not):
            node.node = self._expression(node.node, inside, times)
        elif isinstance(node, nodes.Concat):
            node.nodes = [self._expression(part, inside, times) for part in node.nodes]
        elif isinstance(node, nodes.CondExpr):
            node.test = self._expression(node.test, inside, times)
            node.expr1 = self._expression(node.expr1, inside, times)
            if node.expr2 is not None:
                node.expr2 = self._expression(node.expr2, inside, times)
        elif isinstance(node, nodes.Compare):
            node.expr = self._expression(node.expr, inside, times)
            for place, operand in enumerate(node.ops, 1):
                operand.expr = self._expression(operand.expr, depth + place, times)
        elif isinstance(node, nodes.Filter):
            self._filter(node, inside, times)
        elif isinstance(node, nodes.Test):
            self._test(node, inside, times)
        else:
            _refuse(node, rules.EXPRESSIONS)
        return node

    def _name(self, node: nodes.Name, depth: int, times: int) -> None:
        name = node.name
        if name == "loop" and self._targets:
            _fail(f"loop cannot be used by itself: only {_listed(rules.LOOP_VARIABLES)} can", node)
        if name == "self":
            _fail("the name self cannot be used in a template", node)
        if name in self._targets:
            self._step(times * depth * (self._targets[name] // rules.STEP_CHARACTERS), node)
        elif name in self._values:
            self._weigh(self._values[name], node, depth, times)

    def _dotted(self, node: nodes.Getattr, depth: int, times: int) -> nodes.Expr:
        parts = [node.attr]
        base = node.node
        while isinstance(base, nodes.Getattr):
            parts.append(base.attr)
            base = base.node
        self._count(node, depth + len(parts), times)
        if not isinstance(base, nodes.Name):
            _fail(f"the attribute {node.attr!r} cannot be used: only names of variables have a dot", node)
        name = ".".join([base.name, *reversed(parts)])
        if base.name == "loop" and self._targets:
            if name not in rules.LOOP_VARIABLES:
                _fail(f"{name} cannot be used: only {_listed(rules.LOOP_VARIABLES)} can", node)
            return node
        if name in self._values:
            self._weigh(self._values[name], node, depth, times)
        elif base.name in self._values or base.name in self._targets:
            _fail(no_variable(name, self._values), node)
        return nodes.Name(name.replace(".", DOT), "load", lineno=node.lineno)

    def _filter(self, node: nodes.Filter, depth: int, times: int) -> None:
        if node.name not in rules.FILTERS:
            _fail(f"the filter {node.name!r} is not allowed: only {_listed(rules.FILTERS)} are", node)
        chain, source = 1, node.node
        while isinstance(source, nodes.Filter):
            chain, source = chain + 1, source.node
        if chain > rules.MAX_FILTERS:
            _fail(f"there are more than {rules.MAX_FILTERS} filters in one chain", node)
        fewest, most, takes = rules.FILTERS[node.name]
        if _spread(node) or not fewest <= len(node.args) <= most:
            _fail(f"the filter {node.name!r} takes {takes} in parentheses", node)
        # Only {% filter %}, which is not let in, filters no expression.
        assert node.node is not None
        if node.name == "join":
            self._join(node, node.node, depth, times)
        node.node = self._expression(node.node, depth, times)
        node.args = [self._expression(argument, depth, times) for argument in node.args]

    def _join(self, node: nodes.Filter, source: nodes.Node, depth: int, times: int) -> None:
        if not isinstance(source, (nodes.List, nodes.Tuple)):
            _fail("the filter 'join' is for a list of constants", node)
        for separator in node.args:
            self._weigh(_constant(separator), node, depth, times * len(source.items))

    def _test(self, node: nodes.Test, depth: int, times: int) -> None:
        if node.name not in rules.TESTS:
            _fail(f"the test {node.name!r} is not allowed: only {_listed(rules.TESTS)} are", node)
        wanted = rules.TESTS[node.name]
        if _spread(node) or len(node.args) != wanted:
            _fail(f"the test {node.name!r} takes {'one value' if wanted else 'nothing'} after it", node)
        node.node = self._expression(node.node, depth, times)
        node.args = [self._expression(argument, depth, times) for argument in node.args]

    def _constants(self, node: nodes.List | nodes.Tuple, depth: int, times: int) -> list[int]:
        """Check that a list holds constants only, and return how long each is as text."""
        for item in node.items:
            self._count(item, depth, times)
            self._weigh(_constant(item), item, depth, times)
        return [len(str(_constant(item))) for item in node.items]

    def _count(self, node: nodes.Node, depth: int, times: int) -> None:
        self._nodes += 1
        if self._nodes > rules.MAX_NODES:
            _fail(f"the template is too large: it has more than {rules.MAX_NODES} parts", node)
        if depth > rules.MAX_DEPTH:
            _fail(f"the template is nested more than {rules.MAX_DEPTH} deep", node)
        self._step(times, node)

    def _weigh(self, value: object, node: nodes.Node, depth: int, times: int) -> None:
        """Count the work that a value makes: everything around it may go through all its characters."""
        self._step(times * depth * (len(str(value)) // rules.STEP_CHARACTERS), node)

    def _step(self, steps: int, node: nodes.Node) -> None:
        self._steps += steps
        if self._steps > rules.MAX_STEPS:
            _fail(f"the template makes too much work: more than {rules.MAX_STEPS} steps", node)


def no_variable(name: str, names: Mapping[str, Value]) -> str:
    """Return the sentence that a name is not registered, with the nearest one that is."""
    near = nearest(name, names)
    return f"no variable {name[:100]!r} is registered" + (f"; did you mean {near!r}?" if near else "")


def _range(call: nodes.Call) -> range:
    numbers = [_number(argument) for argument in call.args]
    whole = [number for number in numbers if isinstance(number, int)]
    if _spread(call) or whole != numbers or not 1 <= len(whole) <= 3 or whole[2:] == [0]:
        _fail("range takes one to three whole numbers that are written out, the step not 0", call)
    found = range(*whole)
    if len(found[: rules.MAX_ITEMS + 1]) > rules.MAX_ITEMS:
        _fail(f"a loop runs more than {rules.MAX_ITEMS} times", call)
    return found


def _constant(node: nodes.Node) -> object:
    value: object = node.value if isinstance(node, nodes.Const) else _number(node)
    if value is None and not isinstance(node, nodes.Const):
        _fail("lists and separators are made of constants only", node)
    if isinstance(value, int) and abs(value) > rules.MAX_INTEGER:
        _fail(f"the number is greater than {rules.MAX_INTEGER}", node)
    return value


def _number(node: nodes.Node) -> int | float | None:
    """The number that an expression writes out, with or without a sign, or None."""
    signed = isinstance(node, (nodes.Neg, nodes.Pos))
    literal = node.node if isinstance(node, (nodes.Neg, nodes.Pos)) else node
    value: object = literal.value if isinstance(literal, nodes.Const) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or abs(value) > rules.MAX_INTEGER:
        return None
    return -value if signed and isinstance(node, nodes.Neg) else value


def _spread(node: nodes.Call | nodes.Filter | nodes.Test) -> bool:
    """Whether arguments are given by name, or as ``*`` or ``**``."""
    return bool(node.kwargs or node.dyn_args or node.dyn_kwargs)


def _listed(names: Sequence[str] | Mapping[str, object]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}"


def _refuse(node: nodes.Node, allowed: str) -> NoReturn:
    construct = rules.CONSTRUCTS.get(type(node), type(node).__name__)
    _fail(f"{construct} is not allowed in a template: {allowed}", node)


def _fail(message: str, node: nodes.Node) -> NoReturn:
    raise JinjaError(message, node.lineno - 1)
