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
    needs: tuple[frozenset[str], ...]
    """What must come up among the next tokens, or trying is useless."""


Rules = tuple[tuple[str, Build] | tuple[str, Build, Guard], ...]
Found = tuple[Value, int]
Matched = tuple[tuple[Value, ...], int]
LONGEST = 16
"""Tokens a phrase may have."""
DEEPEST = 24
"""Nobody nests phrases deeper; a text that repeats itself must not."""


def compile_rule(pattern: str, build: Build, guard: Guard | None = None) -> Rule:
    """Read a pattern such as `the? <ordinal> of MONTH`."""
    elements = tuple(_element(word) for word in pattern.split())
    needs = tuple(e.keys for e in elements if not (e.optional or e.symbol))
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


@dataclass
class Parse:
    """One text being matched; every symbol is tried at most once per position."""

    grammar: Grammar
    tokens: Sequence[Token]
    reference: Reference
    _known: dict[tuple[str, int], Found | None] = field(default_factory=dict)
    _ahead: dict[int, frozenset[str]] = field(default_factory=dict)
    _depth: int = 0

    def longest(self, symbol: str, start: int) -> Found | None:
        """Return the meaning of the longest `symbol` at `start`, and where it ends."""
        if start >= len(self.tokens):
            return None
        rules = self.grammar.openings(symbol, self.tokens[start])
        if not rules or self._depth >= DEEPEST:
            return None
        key = (symbol, start)
        if key not in self._known:
            self._known[key] = None  # A symbol inside itself at the same place finds nothing.
            self._depth += 1
            self._known[key] = self._longest(rules, start)
            self._depth -= 1
        return self._known[key]

    def _longest(self, rules: list[Rule], start: int) -> Found | None:
        best: Found | None = None
        ahead = self._keys_ahead(start)
        for rule in rules:
            if any(need.isdisjoint(ahead) for need in rule.needs):
                continue
            found = self._apply(rule, start)
            if found and (best is None or found[1] > best[1]):
                best = found
        return best

    def _keys_ahead(self, start: int) -> frozenset[str]:
        if start not in self._ahead:
            upcoming = self.tokens[start : start + LONGEST]
            self._ahead[start] = frozenset().union(*(token.keys for token in upcoming))
        return self._ahead[start]

    def _apply(self, rule: Rule, start: int) -> Found | None:
        matched = self._match(rule.elements, 0, start)
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

    def _match(self, elements: tuple[Element, ...], place: int, start: int) -> Matched | None:
        if place == len(elements):
            return (), start
        element = elements[place]
        here = self._one(element, start)
        if here is not None:
            tail = self._match(elements, place + 1, here[1])
            if tail is not None:
                return ((here[0], *tail[0]), tail[1]) if element.captures else tail
        if not element.optional:
            return None
        tail = self._match(elements, place + 1, start)
        if tail is None or not element.captures:
            return tail
        return (None, *tail[0]), tail[1]

    def _one(self, element: Element, start: int) -> Found | None:
        if element.symbol:
            return self.longest(element.symbol, start)
        if start >= len(self.tokens):
            return None
        token = self.tokens[start]
        if not element.captures:
            return None if element.keys.isdisjoint(token.keys) else (None, start + 1)
        kind = next((kind for kind in token.kinds if kind in element.keys), None)
        return None if kind is None else (token.kinds[kind], start + 1)
