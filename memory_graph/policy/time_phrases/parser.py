"""How is a list of tokens matched against a grammar, so that the longest reading wins?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memory_graph.policy.time_phrases.tokens import Token
from memory_graph.policy.time_phrases.values import Reference, Value

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


Rules = tuple[tuple[str, Build] | tuple[str, Build, Guard], ...]
Found = tuple[Value, int]


def compile_rule(pattern: str, build: Build, guard: Guard | None = None) -> Rule:
    """Read a pattern such as `the? <ordinal> of MONTH`."""
    return Rule(tuple(_element(word) for word in pattern.split()), build, guard)


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
        self._openings = {
            symbol: [(self._first_of(rule), rule) for rule in rules]
            for symbol, rules in self._rules.items()
        }

    def openings(self, symbol: str) -> list[tuple[frozenset[str], Rule]]:
        """Return the rules of a symbol, each with the keys it may begin with."""
        return self._openings[symbol]

    def may_begin(self, symbol: str, token: Token) -> bool:
        """Tell cheaply whether `token` can begin `symbol` at all."""
        return not self._firsts[symbol].isdisjoint(token.keys)

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


@dataclass
class Parse:
    """One text being matched; every symbol is tried at most once per position."""

    grammar: Grammar
    tokens: Sequence[Token]
    reference: Reference
    _known: dict[tuple[str, int], Found | None] = field(default_factory=dict)

    def longest(self, symbol: str, start: int) -> Found | None:
        """Return the meaning of the longest `symbol` at `start`, and where it ends."""
        if start >= len(self.tokens) or not self.grammar.may_begin(symbol, self.tokens[start]):
            return None
        key = (symbol, start)
        if key not in self._known:
            self._known[key] = None  # A symbol inside itself at the same place finds nothing.
            self._known[key] = self._longest(symbol, start)
        return self._known[key]

    def _longest(self, symbol: str, start: int) -> Found | None:
        best: Found | None = None
        for firsts, rule in self.grammar.openings(symbol):
            if firsts.isdisjoint(self.tokens[start].keys):
                continue
            found = self._apply(rule, start)
            if found and (best is None or found[1] > best[1]):
                best = found
        return best

    def _apply(self, rule: Rule, start: int) -> Found | None:
        matched = self._match(rule.elements, start)
        if matched is None:
            return None
        captures, end = matched
        if rule.guard and not rule.guard(self.tokens, start, end):
            return None
        try:
            value = rule.build(self.reference, *captures)
        except (ValueError, OverflowError):  # The calendar has no such day.
            return None
        return None if value is None else (value, end)

    def _match(
        self, elements: tuple[Element, ...], start: int
    ) -> tuple[tuple[Value, ...], int] | None:
        if not elements:
            return (), start
        element, rest = elements[0], elements[1:]
        here = self._one(element, start)
        if here is not None:
            tail = self._match(rest, here[1])
            if tail is not None:
                return ((here[0], *tail[0]) if element.captures else tail[0]), tail[1]
        if not element.optional:
            return None
        tail = self._match(rest, start)
        return tail and (((None, *tail[0]) if element.captures else tail[0]), tail[1])

    def _one(self, element: Element, start: int) -> Found | None:
        if element.symbol:
            return self.longest(element.symbol, start)
        if start >= len(self.tokens):
            return None
        token = self.tokens[start]
        shared = element.keys & token.keys
        if not shared:
            return None
        return (token.kinds[next(iter(shared))] if element.captures else None), start + 1
