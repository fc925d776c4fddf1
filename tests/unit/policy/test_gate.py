"""Which messages does the free gate let through, and why does it drop the others?"""

import pytest

from memory_graph.policy.gate import decide_gate

HOLD_A_FACT = {
    "plain": "I live in Lisbon.",
    "after thanks, before a question": (
        "Thanks! By the way I moved to Porto, what's the weather there?"
    ),
    "named pet": "Luna turned 4 yesterday!",
    "with a request": "My sister's name is Eva, can you remember that?",
    "between code": "I work at Acme.\n```python\nprint(1)\n```",
    "forget request": "Please forget my address.",
    "form": "Name: Ana\nCity: Porto",
    "polite condition": "If it helps, I'm vegetarian.",
    "correction": "Sorry, I meant Porto, not Lisbon.",
    "standing request": "Please keep your answers short from now on.",
    "without a subject": "Not a big fan of seafood.",
    "after a passing state": "I'm tired, and my daughter Mia turned 4.",
    "passing mood with a plan": "I'm getting married in June!",
}

HOLD_NONE = {
    "thanks": ("thank you so much, that helped a lot", "small_talk"),
    "greeting": ("Good morning!", "small_talk"),
    "one word": ("idk", "too_short"),
    "nothing": ("   ", "too_short"),
    "question": ("How do I reverse a list in Python?", "question_only"),
    "question about oneself": ("Where do I live?", "question_only"),
    "question without a mark": ("what is my cat called", "question_only"),
    "code block": ('```\nname = "Ana"\nprint("I live in Lisbon")\n```', "code"),
    "log": (
        "2026-11-02 10:11:12 ERROR my service is down\n2026-11-02 10:11:13 INFO I am alive",
        "code",
    ),
    "letter": (
        "Dear customer,\n\nmy name is Claire, I am head of support.\n\nBest regards,\nClaire",
        "pasted_document",
    ),
    "far too long": ("I live in Rome. " * 600, "pasted_document"),
    "quoted line": ("> I am allergic to nuts\nfix", "quote"),
    "instruction": ("Write a poem about autumn.", "no_first_person"),
    "general statement": ("The weather is lovely today.", "no_first_person"),
    "hypothetical": ("If I lived in Rome I would eat pasta.", "hypothetical"),
    "wish": ("I wish I had a dog.", "hypothetical"),
    "roleplay": ("Pretend I'm your boss.", "hypothetical"),
    "mood": ("I'm hungry.", "passing_state"),
    "work at hand": ("I'm trying to install numpy.", "passing_state"),
    "reaction": ("I like your answer.", "passing_state"),
}


@pytest.mark.parametrize("text", HOLD_A_FACT.values(), ids=HOLD_A_FACT)
def test_a_message_that_may_hold_a_fact_passes(text):
    gate = decide_gate(text)

    assert (gate.passes, gate.reason) == (True, "may_hold_fact")


@pytest.mark.parametrize(("text", "reason"), HOLD_NONE.values(), ids=HOLD_NONE)
def test_a_message_without_facts_is_dropped_with_its_reason(text, reason):
    gate = decide_gate(text)

    assert (gate.passes, gate.reason) == (False, reason)
