"""What is left of a message once everything that is not in the user's own voice is taken out."""

import pytest

from memory_graph.safety.own_voice import own_voice

LEFT = {
    "plain": ("I live in Rome.", "I live in Rome."),
    "code block": ("I live in Rome.\n```\nx = 1\n```", "I live in Rome."),
    "open code block": ("```\nI live in Rome.", ""),
    "log": ("10:11:12 I am up\n10:11:13 I am down", ""),
    "quoted speech": ('She said "I am a doctor".', "She said  ."),
    "quoted title": ('I love "Home Alone".', 'I love "Home Alone".'),
    "quoted line": ("> I am ill\nFix it.", "Fix it."),
    "dictation": ("Translate this: I am a doctor.", ""),
    "transcript": ("Tom: I live in Rome\nAna: I live in Oslo", ""),
    "letter": ("Dear Sir,\nI am Tom.\nKind regards,\nTom", ""),
    "what was told to the user": ("She said: you are ill.", "She said: you are ill."),
    "what the user told": ("I said: I am ill.", "I said: I am ill."),
    "only what is announced": ("Here is the mail:\n\nI am ill.\n\nI am Tom.", "I am Tom."),
    "apostrophes are no quotes": ("I'm Tom's cousin's boss", "I'm Tom's cousin's boss"),
}


@pytest.mark.parametrize(("message", "text"), LEFT.values(), ids=LEFT)
def test_only_the_users_own_words_are_left(message, text):
    assert own_voice(message) == text
