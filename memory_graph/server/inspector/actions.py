"""The changes that people make on the pages of the inspector."""

import json
from collections.abc import Collection, Mapping

from starlette.responses import Response

from memory_graph.curation import forget
from memory_graph.curation.lookup import find_by_id
from memory_graph.server.inspector.cards import Card, address_of, text_of, words_of
from memory_graph.server.inspector.site import Change, Page, Visit
from memory_graph.server.inspector.wording import say, shown
from memory_graph.store.scope import UserMemory

Form = Mapping[str, str]


async def correct_fact(visit: Visit, form: Form) -> Response:
    """Give a fact a new value, or a new statement; the old one stays in its history."""
    fact_id, told = visit.request.path_params["id"], {k: v.strip() for k, v in form.items()}
    if not (told.get("statement") or told.get("value")):
        raise ValueError(say("errors.empty"))
    fact = await visit.memory.acorrect(fact_id, told.get("statement"), value=told.get("value"))
    return visit.to(visit.record_url("facts", fact.id, done="corrected"))


async def pin_fact(visit: Visit, form: Form) -> Response:
    """Pin a fact, or unpin it."""
    fact_id, pinned = visit.request.path_params["id"], form.get("pinned") != "no"
    await visit.memory.apin(fact_id, pinned=pinned)
    done = "pinned" if pinned else "unpinned"
    return visit.to(visit.record_url("facts", fact_id, done=done))


async def undo_decision(visit: Visit, form: Form) -> Response:
    """Undo a decision; what it created is deleted."""
    number = form.get("number", "")
    undone = await visit.memory.aundo(
        form.get("entry", ""), int(number) if number.isdecimal() else None
    )
    restored = [each.restored for each in undone if each.restored]
    address = address_of(visit, restored[0]) if restored else None
    if address is None:
        return visit.to(visit.url("/", done="undone"))
    return visit.to(f"{address}{'&' if '?' in address else '?'}done=undone")


async def forget_memory(visit: Visit, form: Form) -> Page:
    """Delete a memory for good, then search the store and show what is left of it."""
    scope = visit.scope
    record = await visit.memory.aget(visit.request.path_params["id"])
    texts = forget.texts_of(record) | {turn.text for turn in await words_of(visit, record)}
    before = await _keys_holding(scope, texts)
    forgotten = await visit.memory.aforget(record.id)
    after = await _keys_holding(scope, texts)
    left = await find_by_id(scope, after)
    return Page(
        template="forgotten.html",
        title=say("forget.done"),
        place="start",
        data={
            "user": visit.user,
            "proof": [
                *await _counted(scope, forgotten),
                {"what": "left", "before": len(before), "after": len(after)},
            ],
            "left": [
                {"text": shown(text_of(each), 120), "address": address_of(visit, each) or ""}
                for each in left.values()
            ],
            "beyond_reach": forget.BEYOND_REACH,
        },
    )


async def _keys_holding(memory: UserMemory, texts: Collection[str]) -> list[str]:
    """Return the keys of a user's items that hold one of the texts."""
    wanted = [json.dumps(text, ensure_ascii=False)[1:-1] for text in texts if text.strip()]
    keys = []
    for namespace in await forget.namespaces_of(memory, tokens=True):
        for item in await memory.scope.gateway.scan(namespace):
            held = f"{item.key} {json.dumps(item.value, ensure_ascii=False)}"
            keys += [item.key] if any(text in held for text in wanted) else []
    return keys


async def _counted(scope: UserMemory, forgotten: forget.Forgotten) -> list[Card]:
    """Count again what was deleted: the memory, the decisions about it, the words it came from."""
    record = forgotten.record
    known = await find_by_id(scope, [record.id])
    decisions = await scope.ledger.about(record.id)
    words = await scope.turns.said_in(forget.messages_of(record))
    return [
        {"what": "record", "before": 1, "after": len(known)},
        {"what": "ledger", "before": forgotten.ledger_entries, "after": len(decisions)},
        {"what": "turns", "before": forgotten.turns, "after": len(words)},
    ]


async def end_instruction(visit: Visit, form: Form) -> Response:
    """Let an instruction be over from now on; the start page offers to undo that."""
    ended = await visit.memory.aend_instruction(visit.request.path_params["id"])
    entry = (await visit.memory.awhy(ended.id)).entries[-1]
    return visit.to(visit.url("/", done="ended", entry=entry.id))


async def forget_message(visit: Visit, form: Form) -> Response | Page:
    """Show what one message left in memory; delete it all once that is confirmed."""
    message_id = visit.request.path_params["id"]
    is_sure = form.get("sure") == "yes"
    back = await visit.memory.aforget_message(message_id, apply=is_sure)
    if is_sure:
        return visit.to(visit.url("/turns", done="message_gone"))
    made = [each.was for each in back.undone if each.was]
    return Page(
        template="message.html",
        title=say("message.title"),
        place="turns",
        data={
            "message_id": message_id,
            "made": [{"text": shown(text_of(each), 160)} for each in made],
            "words": back.words,
            "left": list(back.left),
            "beyond_reach": forget.BEYOND_REACH,
        },
    )


async def decide_pattern(visit: Visit, form: Form) -> Response:
    """Confirm or reject a pattern, as the address says."""
    name, act = visit.request.path_params["id"], visit.request.url.path.rpartition("/")[2]
    if act == "confirm":
        await visit.memory.aconfirm_pattern(name)
        return visit.to(visit.url("/patterns", done="confirmed"))
    await visit.memory.areject_pattern(name)
    return visit.to(visit.url("/patterns", done="rejected"))


async def maintain_episodes(visit: Visit, form: Form) -> Response:
    """Make the changes that the dry run listed."""
    done = "maintained" if await visit.memory.amaintain(apply=True) else "unchanged"
    return visit.to(visit.url("/health", done=done))


async def mend_memory(visit: Visit, form: Form) -> Response:
    """Fix what the audit found, as one ledger entry that can be undone."""
    mended = await visit.memory.afix(apply=True)
    done = "mended" if mended.decisions else "unchanged"
    return visit.to(visit.url("/health", done=done, entry=mended.entry_id))


async def forget_all(visit: Visit, form: Form) -> Page:
    """Delete everything about the person after they typed their name, and show what is left."""
    if form.get("name", "").strip() != visit.user:
        raise ValueError(say("yours.wrong"))
    erased = await visit.memory.aforget_everything()
    return Page(
        template="erased.html",
        title=say("yours.done", user=shown(visit.user, 60)),
        place="yours",
        data={
            "user": visit.user,
            "forgotten": erased.forgotten,
            "left": erased.left,
            "beyond_reach": erased.beyond_reach,
        },
    )


CHANGES: Mapping[str, Change] = {
    "/facts/{id:path}/correct": correct_fact,
    "/facts/{id:path}/pin": pin_fact,
    "/facts/{id:path}/forget": forget_memory,
    "/episodes/{id:path}/forget": forget_memory,
    "/patterns/{id:path}/confirm": decide_pattern,
    "/patterns/{id:path}/reject": decide_pattern,
    "/instructions/{id:path}/end": end_instruction,
    "/turns/{id:path}/forget": forget_message,
    "/undo": undo_decision,
    "/health/maintain": maintain_episodes,
    "/health/mend": mend_memory,
    "/yours/forget": forget_all,
}
"""Every change by its path; all need a POST."""
