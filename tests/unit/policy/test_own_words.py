"""What is left of a message once everything that is not the user's own is taken out?"""

import pytest

from memory_graph.policy.own_words import LONGEST_MESSAGE, own_words

LEFT = {
    "plain": ("I live in Rome.", "I live in Rome.", "none"),
    "code block": ("I live in Rome.\n```\nx = 1\n```", "I live in Rome.", "code"),
    "open code block": ("```\nI live in Rome.", "", "code"),
    "log": ("10:11:12 I am up\n10:11:13 I am down", "", "code"),
    "quoted speech": ('She said "I am a doctor".', "She said  .", "quote"),
    "quoted title": ('I love "Home Alone".', "I love Home Alone.", "quote"),
    "quoted line": ("> I am ill\nFix it.", "Fix it.", "quote"),
    "dictation": ("Translate this: I am a doctor.", "", "quote"),
    "transcript": ("Tom: I live in Rome\nAna: I live in Oslo", "", "code"),
    "letter": ("Dear Sir,\nI am Tom.\nKind regards,\nTom", "", "pasted_document"),
    "too long": ("I am Tom. " * LONGEST_MESSAGE, "", "pasted_document"),
    "apostrophes are no quotes": ("I'm Tom's cousin's boss", "I'm Tom's cousin's boss", "none"),
}


@pytest.mark.parametrize(("message", "text", "removed"), LEFT.values(), ids=LEFT)
def test_only_the_users_own_words_are_left(message, text, removed):
    own = own_words(message)

    assert (own.text, own.removed) == (text, removed)
