"""Signals: what one stretch of conversation shows."""

import pytest

from memory_graph.policy.exchange import Said
from memory_graph.policy.signals import (
    NotabilityWeights,
    Signals,
    notability,
    outcome_of,
    read_signals,
)


def user(text: str) -> Said:
    return Said(role="user", text=text)


def assistant(text: str, *tool_calls: str) -> Said:
    return Said(role="assistant", text=text, tool_calls=tool_calls)


def result(tool: str, *, is_error: bool = False) -> Said:
    return Said(role="tool", tool=tool, text="…", is_error=is_error)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        pytest.param("Let's go with the second draft.", "decision", id="let us go with"),
        pytest.param("We decided to rent, not to buy.", "decision", id="we decided"),
        pytest.param("I’ll take the blue one.", "decision", id="curly apostrophe"),
        pytest.param("Oak it is!", "decision", id="it is"),
        pytest.param("I'll send it tomorrow.", "commitment", id="promise with a time"),
        pytest.param("Next we test the backup.", "next_step", id="next we"),
        pytest.param("I passed the bar exam!", "milestone", id="passed"),
        pytest.param("Version 3 is live.", "milestone", id="live"),
        pytest.param("It works now.", "problem_solved", id="works now"),
        pytest.param("Finally fixed the antenna.", "problem_solved", id="finally fixed"),
        pytest.param("They turned me down.", "setback", id="turned down"),
        pytest.param("My aunt passed away on Sunday.", "life_event", id="death"),
        pytest.param("Please remember this conversation.", "user_declared", id="remember this"),
        pytest.param("This is important, keep it.", "user_declared", id="keep it"),
        pytest.param("We haven't decided yet.", "undecided", id="not decided"),
        pytest.param("I learned that yeast hates salt.", "lesson", id="learned"),
    ],
)
def test_a_sentence_gives_its_sign(text: str, sign: str) -> None:
    signals = read_signals([user(text)])

    assert getattr(signals, sign)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        pytest.param("We haven't decided yet.", "decision", id="negated decision"),
        pytest.param("Should we go with Lisbon, or have we decided?", "decision", id="question"),
        pytest.param("If it works now, we celebrate.", "problem_solved", id="condition"),
        pytest.param("I wonder whether I passed the exam.", "milestone", id="wonder"),
        pytest.param("Suppose we shipped on Friday.", "milestone", id="supposition"),
        pytest.param("I never finished the course.", "milestone", id="never"),
        pytest.param("It could be that we decided too early.", "decision", id="tentative"),
        pytest.param('The sign says "we decided".', "decision", id="quoted"),
        pytest.param("Do you remember our conversation?", "user_declared", id="asks to recall"),
        pytest.param("Remember that my bike is red.", "user_declared", id="only a fact"),
        pytest.param("I was born in Leeds.", "life_event", id="own birth is a fact"),
    ],
)
def test_denials_suppositions_and_mentions_give_no_sign(text: str, sign: str) -> None:
    signals = read_signals([user(text)])

    assert not getattr(signals, sign)


def test_a_choice_made_after_hesitating_is_a_decision() -> None:
    signals = read_signals(
        [user("I'm torn."), assistant("Why?"), user("OK, let's take the cabin.")]
    )

    assert signals.decision
    assert not signals.undecided


def test_a_choice_taken_back_is_left_open() -> None:
    signals = read_signals([user("Let's take the cabin."), user("Hmm, not sure after all.")])

    assert signals.undecided
    assert not signals.decision


def test_text_handed_over_for_translation_is_not_what_the_user_did() -> None:
    signals = read_signals(
        [user("Translate to Polish: we decided to move and I got the job."), assistant("…")]
    )

    assert signals.routine
    assert not signals.decision
    assert not signals.milestone


def test_a_reply_after_a_silent_tool_call_is_still_read() -> None:
    signals = read_signals(
        [
            user("The lamp flickers."),
            assistant("", "read_sensor"),
            result("read_sensor"),
            assistant("The cause was a loose wire."),
        ]
    )

    assert signals.problem_solved


def test_coming_back_with_the_words_of_the_reply_takes_it_up() -> None:
    ask, reply = user("The glue never holds."), assistant("Sanding both sides helps.")

    taken = read_signals([ask, reply, user("Sanded them, waited a day and glued again.")])
    ignored = read_signals([ask, reply, user("My neighbour bought some huge garden gnomes.")])

    assert taken.takes_up
    assert taken.follows_up
    assert not ignored.takes_up


def test_a_turn_is_read_in_view_of_the_reply_before_it() -> None:
    earlier = [user("Oak or pine?"), assistant("Pine is cheaper, oak lasts longer.")]
    turn = [user("Oak, the longer life is worth it."), assistant("Noted.")]

    alone, in_context = read_signals(turn), read_signals(turn, earlier=earlier)

    assert not alone.follows_up
    assert in_context.follows_up
    assert in_context.takes_up


def test_outcomes_of_earlier_turns_are_not_read_again() -> None:
    signals = read_signals([user("ok thanks")], earlier=[user("We decided to move.")])

    assert not signals.decision


def test_what_the_assistant_promises_is_not_the_users_commitment() -> None:
    signals = read_signals([user("Bring milk."), assistant("I'll remind you tomorrow.")])

    assert not signals.commitment


def test_tool_results_are_counted_and_lookups_are_no_actions() -> None:
    signals = read_signals(
        [
            user("Book it"),
            result("search_flights"),
            result("book_flight", is_error=True),
            result("book_flight"),
        ]
    )

    assert (signals.tool_successes, signals.tool_errors, signals.tool_actions) == (2, 1, 1)
    assert signals.recovered


def test_an_error_at_the_end_is_not_recovered() -> None:
    signals = read_signals([result("book_flight"), result("send_email", is_error=True)])

    assert not signals.recovered


def test_memory_tools_are_no_outcome() -> None:
    signals = read_signals([result("add_episode"), result("remember_fact")])

    assert signals.tool_successes == 0
    assert signals.tool_actions == 0


def test_a_recap_needs_an_answer() -> None:
    ask = user("What did we decide about the fence?")

    answered = read_signals([ask, assistant("You chose larch over pine in May, for the price.")])
    missed = read_signals([ask, assistant("I have no memory of a talk about a fence, sorry.")])

    assert answered.recall_recap
    assert not missed.recall_recap


def test_a_recap_may_come_after_a_memory_search() -> None:
    signals = read_signals(
        [
            user("Where did we leave off?"),
            assistant("", "search_episodes"),
            result("search_episodes"),
            assistant("We had read chapters one to three; the fourth was still open."),
        ]
    )

    assert signals.recall_recap


@pytest.mark.parametrize(
    ("said", "sign"),
    [
        pytest.param([user("hi there")], "routine", id="greeting"),
        pytest.param([user("thanks a lot!"), assistant("Any time.")], "routine", id="thanks"),
        pytest.param([user("What is a quark?")], "question_only", id="question"),
        pytest.param(
            [user("My dog is called Rex."), assistant("Noted!")], "pure_fact_update", id="fact"
        ),
    ],
)
def test_routine_is_recognised(said: list[Said], sign: str) -> None:
    assert getattr(read_signals(said), sign)


def test_every_weight_is_named_like_a_sign() -> None:
    signs = set(Signals.__dataclass_fields__)

    assert set(NotabilityWeights.model_fields) - {"prior"} <= signs


def test_more_signs_make_an_exchange_more_notable() -> None:
    none = notability(Signals())
    hint = notability(Signals(follows_up=True))
    outcome = notability(Signals(follows_up=True, decision=True))

    assert 0 < none < hint < 0.5 < outcome < 1


@pytest.mark.parametrize(
    ("signals", "outcome"),
    [
        (Signals(problem_solved=True), "success"),
        (Signals(tool_actions=1, setback=True), "partial"),
        (Signals(tool_errors=2), "failure"),
        (Signals(tool_errors=1, recovered=True), "success"),
        (Signals(decision=True, commitment=True), "ongoing"),
        (Signals(decision=True), "success"),
        (Signals(), "unknown"),
    ],
)
def test_outcome_follows_from_the_signs(signals: Signals, outcome: str) -> None:
    assert outcome_of(signals) == outcome


def test_nothing_said_shows_nothing() -> None:
    signals = read_signals([])

    assert notability(signals) < 0.1
    assert not signals.pure_fact_update
