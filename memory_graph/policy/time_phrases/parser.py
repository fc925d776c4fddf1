"""How are tokens matched against a grammar, so that the longest reading wins?"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_graph.policy.time_phrases.patterns import Element, Grammar, Rule
from memory_graph.policy.time_phrases.tokens import Token
from memory_graph.policy.time_phrases.values import Reference, Value

Found = tuple[Value, int]
Matched = tuple[tuple[Value, ...], int]
LONGEST = 24
"""Tokens a phrase may have."""
DEEPEST = 24
"""Nobody nests phrases deeper; a text that repeats itself must not."""


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
        key = (symbol, start)
        if key in self._known:
            return self._known[key]
        if start >= len(self.tokens) or self._depth >= DEEPEST:
            return None
        self._known[key] = None  # A symbol inside itself at the same place finds nothing.
        rules = self.grammar.openings(symbol, self.tokens[start])
        if rules:
            self._depth += 1
            self._known[key] = self._longest(rules, start)
            self._depth -= 1
        return self._known[key]

    def _longest(self, rules: list[Rule], start: int) -> Found | None:
        best: Found | None = None
        ahead = self._keys_ahead(start)
        for rule in rules:
            if _can_follow(rule, ahead):
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


def _can_follow(rule: Rule, ahead: frozenset[str]) -> bool:
    return not any(need.isdisjoint(ahead) for need in rule.needs)
