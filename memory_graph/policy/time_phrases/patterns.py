"""How is a grammar written down, and which of its rules may begin with a given word?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from memory_graph.policy.time_phrases.tokens import Token
from memory_graph.policy.time_phrases.values import Value

Guard = Callable[[Sequence[Token], int, int], bool]
"""Looks at the words around `tokens[start:end]`: does the reading make sense there?"""
Build = Callable[..., Value]
"""Turns what a pattern captured into its meaning; nothing when it has none (31 June)."""


@dataclass(frozen=True, slots=True)
class Element:
    """One place in a pattern: a word, a captured `KIND`, or a captured `<symbol>`."""

    keys: frozenset[str]
    symbol: str = ""
    captures: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One way to write a symbol."""

    elements: tuple[Element, ...]
    build: Build
    guard: Guard | None
    needs: tuple[frozenset[str], ...]
    """What must come up after the beginning, or trying is useless."""


Rules = tuple[tuple[str, Build] | tuple[str, Build, Guard], ...]


def compile_rule(pattern: str, build: Build, guard: Guard | None = None) -> Rule:
    """Read a pattern such as `the? <ordinal> of MONTH`."""
    elements = tuple(_element(word) for word in pattern.split())
    needs = tuple(e.keys for e in elements[1:] if not (e.optional or e.symbol))
    return Rule(elements, build, guard, needs)


def _element(word: str) -> Element:
    optional = len(word) > 1 and word.endswith("?")
    name = word[:-1] if optional else word
    if name.startswith("<"):
        return Element(frozenset(), name[1:-1], True, optional)
    return Element(frozenset(name.split("|")), "", name.isupper(), optional)


class Grammar:
    """Rules by symbol, with the tokens each rule may begin with worked out in advance."""

    def __init__(self, symbols: Mapping[str, Rules]) -> None:
        self._rules = {
            symbol: [compile_rule(*rule) for rule in rules] for symbol, rules in symbols.items()
        }
        self._firsts: dict[str, frozenset[str]] = dict.fromkeys(self._rules, frozenset())
        while self._widen_firsts():
            pass
        self._openings: dict[tuple[str, frozenset[str]], list[Rule]] = {}

    def openings(self, symbol: str, token: Token) -> list[Rule]:
        """Return the rules of a symbol that may begin with `token`."""
        keys = self._firsts[symbol] & token.keys
        if not keys:
            return []
        found = self._openings.get((symbol, keys))
        if found is None:
            found = [r for r in self._rules[symbol] if not keys.isdisjoint(self._first_of(r))]
            self._openings[symbol, keys] = found
        return found

    def _widen_firsts(self) -> bool:
        before = self._firsts
        self._firsts = {
            symbol: frozenset().union(*(self._first_of(rule) for rule in rules))
            for symbol, rules in self._rules.items()
        }
        return self._firsts != before

    def _first_of(self, rule: Rule) -> frozenset[str]:
        keys: frozenset[str] = frozenset()
        for element in rule.elements:
            keys |= self._firsts[element.symbol] if element.symbol else element.keys
            if not element.optional:
                break
        return keys
