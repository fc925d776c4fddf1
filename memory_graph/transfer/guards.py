"""What comes from elsewhere passes the guards that what is said passes: secrets, orders."""

from collections.abc import Collection
from dataclasses import replace

from memory_graph.records import SECRET_KINDS, Fact, Record, SecretKind
from memory_graph.safety.own_voice import is_instruction
from memory_graph.safety.secrets import holds_secret, without_secrets
from memory_graph.transfer.incoming import Incoming, refused

SECRET = "holds a secret, which is never kept"
ORDER = "gives an order or claims a right, which is no fact"


def refusal(record: Record, sensitive: Collection[SecretKind] = SECRET_KINDS) -> str | None:
    """Return why a fact is not taken in, if it is not."""
    if not isinstance(record, Fact):
        return None
    told = f"{record.statement} {record.value or ''}"
    if holds_secret(told, sensitive):
        return SECRET
    return ORDER if is_instruction(told) else None


def guarded(incoming: Incoming, sensitive: Collection[SecretKind] = SECRET_KINDS) -> Incoming:
    """Return what may come in, and why the rest may not."""
    found = replace(
        incoming,
        facts=(),
        episodes=tuple(without_secrets(each, sensitive) for each in incoming.episodes),
        patterns=tuple(without_secrets(each, sensitive) for each in incoming.patterns),
    )
    for fact in incoming.facts:
        if reason := refusal(fact, sensitive):
            found += refused(fact.id, reason)
        else:
            found += Incoming(facts=(without_secrets(fact, sensitive),))
    return found
