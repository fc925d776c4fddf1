"""Load the grammar of time phrases and the list of holidays.

The table `data/time_grammar.txt` explains its own notation. Its functions are those of `meanings`
and `calendar`, its guards those of `context`.
"""

import ast
import json
from collections.abc import Callable

from memory_graph.language.english.time import calendar, guards, meanings
from memory_graph.language.english.time.calendar import Nothing, Reference
from memory_graph.language.english.time.parser import (
    DATA,
    Build,
    Grammar,
    Guard,
    Rule,
    Value,
    make_rule,
)

HOLIDAYS: dict[str, str | list[str]] = json.loads(
    (DATA / "holidays.json").read_text(encoding="utf-8")
)
Meaning = Callable[[Reference, tuple[Value, ...]], Value]


def _read_table(table: str) -> dict[str, list[Rule]]:
    rules: dict[str, list[Rule]] = {}
    words: dict[str, str] = {}
    symbol = ""
    for line in table.splitlines():
        if line.startswith("["):
            symbol = line.strip("[]")
        elif line.startswith("{") and not symbol:
            name, _, meaning = line.partition(" = ")
            words[name.strip("{}")] = meaning
        elif line and not line.startswith("#"):
            rules.setdefault(symbol, []).append(_read_rule(line.format_map(words)))
    return rules


def _read_rule(line: str) -> Rule:
    pattern, _, rest = line.partition(" = ")
    written, _, guard = rest.partition(" ? ")
    check: Guard | None = getattr(guards, guard.strip()) if guard else None
    return make_rule(pattern, _read_meaning(written.strip()), check)


def _read_meaning(written: str) -> Build:
    node = ast.parse(written.replace("$", "_"), mode="eval").body
    if isinstance(node, ast.Name) and node.id != "nothing" and not node.id.startswith("_"):
        return _function(node.id)
    meaning = _compiled(node)
    return lambda ref, *captured: meaning(ref, captured)


def _compiled(node: ast.expr) -> Meaning:
    match node:
        case ast.Constant(value=int(number)):
            return lambda ref, captured: number
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = _compiled(operand)
            return lambda ref, captured: -positive(ref, captured)  # type: ignore[operator]
        case ast.Name(id="nothing"):
            return lambda ref, captured: Nothing()
        case ast.Name(id="today"):
            return lambda ref, captured: ref.today
        case ast.Name(id=name) if name.startswith("_"):
            place = int(name[1:]) - 1
            return lambda ref, captured: captured[place]
        case ast.Name(id=word):
            return lambda ref, captured: word
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(_function(name), arguments)
    raise ValueError(ast.unparse(node))


def _call(build: Build, arguments: list[ast.expr]) -> Meaning:
    """Give a function what its arguments mean; a call among them that means nothing ends it."""
    compiled = [(_compiled(each), isinstance(each, ast.Call)) for each in arguments]

    def call(ref: Reference, captured: tuple[Value, ...]) -> Value:
        values = [(argument(ref, captured), needed) for argument, needed in compiled]
        if any(needed and value is None for value, needed in values):
            return None
        return build(ref, *(value for value, _ in values))

    return call


def _function(name: str) -> Build:
    """Return a function of `calendar`, which needs no reference, or one of `meanings`."""
    plain: Build | None = getattr(calendar, name, None)
    if plain is not None:
        return lambda ref, *captured: plain(*captured)
    build: Build = getattr(meanings, name)
    return build


def _holidays() -> list[Rule]:
    return [make_rule(name, meanings.holiday(when)) for name, when in HOLIDAYS.items()]


_TABLE = (DATA / "time_grammar.txt").read_text(encoding="utf-8")
GRAMMAR = Grammar({**_read_table(_TABLE), "holiday": _holidays()})
