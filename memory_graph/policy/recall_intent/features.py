"""Which signs for or against a recall does a question show, alone and together?"""

import re

from memory_graph.policy.recall_intent.other_signs import LEAD_IN, OTHER_WISH
from memory_graph.policy.recall_intent.own_signs import DETAIL, OWN_PAST, OWN_PRESENT

CONJUNCTIONS: dict[str, frozenset[str]] = {
    "past_follow_up": frozenset({"past", "no_us", "lead_in_past"}),
    "follow_up": frozenset({"no_us", "refers_back", "lead_in_us"}),
    "present_after_lead_in": frozenset({"no_past", "lead_in_us"}),
    "present_follow_up": frozenset({"no_past", "no_us", "lead_in_us"}),
    "past_after_lead_in": frozenset({"past", "lead_in_us"}),
    "name_after_lead_in": frozenset({"name_of", "lead_in_us"}),
    "past_after_doing": frozenset({"past", "lead_in_doing"}),
    "own_habit": frozenset({"do_i", "habit"}),
    "own_advice": frozenset({"did_i", "advice"}),
    "own_fault": frozenset({"did_i", "fault"}),
    "own_service": frozenset({"did_i", "service"}),
    "service_now": frozenset({"no_past", "service"}),
    "why_mine": frozenset({"why", "did_mine"}),
    "why_dated": frozenset({"why", "time_named"}),
    "kin_does": frozenset({"does_mine", "my_kin"}),
    "kind_i_do": frozenset({"do_i", "kind_of"}),
    "why_i": frozenset({"why", "did_i"}),
    "past_relative": frozenset({"was_thing", "i_past"}),
    "have_belonging": frozenset({"do_i_have", "belonging"}),
    "count_of_own_past": frozenset({"how_many", "did_i"}),
    "count_of_own_present": frozenset({"how_many", "do_i_have"}),
    "total_of_own": frozenset({"order_or_total", "i_past"}),
    "my_attribute": frozenset({"is_mine", "attribute"}),
    "yes_no_past": frozenset({"yes_no", "did_i"}),
    "yes_no_present": frozenset({"yes_no", "no_past"}),
    "tag_state": frozenset({"tag", "i_state"}),
    "tag_mine": frozenset({"tag", "starts_mine"}),
    "about_kin": frozenset({"lead_in_kin", "person_asked"}),
    "thing_of_past": frozenset({"lead_in_past", "thing_asked"}),
    "thing_seen": frozenset({"lead_in_sighting", "thing_asked"}),
    "thing_of_doing": frozenset({"lead_in_doing", "thing_asked"}),
    "mistake_after_lead_in": frozenset({"my_mistake", "lead_in_us"}),
    "own_condition": frozenset({"condition", "past"}),
    "time_does": frozenset({"does_mine", "time_of_mine"}),
    "where_is_service": frozenset({"where_is", "service"}),
    "which_one_after_lead_in": frozenset({"which_one", "lead_in_us"}),
    "how_follow_up": frozenset({"how_many", "no_us", "lead_in_us"}),
    "yes_no_after_lead_in": frozenset({"yes_no", "lead_in_us"}),
    "passive_follow_up": frozenset({"passive_fact", "no_us"}),
    "generic_follow_up": frozenset({"generic_they", "no_us"}),
    "term_of_condition": frozenset({"condition", "did_i"}),
    "yes_no_kin": frozenset({"yes_no", "my_kin"}),
    "yes_no_dated": frozenset({"yes_no", "time_named"}),
    "yes_no_span": frozenset({"yes_no", "time_span"}),
    "young_or_animal_now": frozenset({"young_or_animal", "no_past"}),
    "where_when_after_lead_in": frozenset({"lead_in_us", "who_where_when"}),
    "kind_of_mine": frozenset({"kind_of", "does_mine"}),
    "yes_no_follow_up": frozenset({"yes_no", "no_us"}),
    "why_follow_up": frozenset({"why", "no_us"}),
    "kin_name": frozenset({"my_kin", "attribute"}),
    "public_follow_up": frozenset({"no_us", "lead_in_past", "definite"}),
    "count_of_mine": frozenset({"how_many", "is_mine"}),
    "yes_no_mine": frozenset({"yes_no", "is_mine"}),
    "favourite_order": frozenset({"my_favourite", "service"}),
    "age_after_numbers": frozenset({"lead_in_numbers", "age_given"}),
    "how_to_dated": frozenset({"how_to", "time_ago"}),
    "thing_of_ours": frozenset({"lead_in_us", "thing_asked", "no_us", "past"}),
    "private_thing": frozenset({"lead_in_private", "thing_asked"}),
    "attribute_follow_up": frozenset({"lead_in_past", "attribute", "no_us"}),
    "kind_follow_up": frozenset({"lead_in_past", "kind_of", "no_us"}),
    "helper_advised": frozenset({"helper_said", "advice"}),
    "have_yes_no": frozenset({"do_i_have", "yes_no"}),
    "state_yes_no": frozenset({"do_i_state", "yes_no"}),
    "am_i_yes_no": frozenset({"am_i_doing", "yes_no"}),
    "did_i_choice": frozenset({"did_i", "choice"}),
    "done_to_me_advice": frozenset({"done_to_me", "advice"}),
    "how_i_like": frozenset({"how_to", "do_i_state"}),
    "where_does_mine": frozenset({"who_where_when", "does_mine"}),
    "habitual_step": frozenset({"do_i", "habit", "procedure"}),
    "habitual_order": frozenset({"do_i", "habit", "service"}),
    "tag_past": frozenset({"tag", "i_past"}),
}
"""Features that mean something else together."""

PAST_FEATURES = frozenset(OWN_PAST)
ADVICE_FEATURES = frozenset(
    {"modal", "advice", "infinitive", "how_to", "need", "rights", "procedure"}
)

_IN_QUESTION = {
    name: re.compile(pattern)
    for name, pattern in (OWN_PAST | OWN_PRESENT | DETAIL | OTHER_WISH).items()
}
_IN_LEAD_IN = {name: re.compile(pattern) for name, pattern in LEAD_IN.items()}
FEATURE_NAMES: tuple[str, ...] = (*_IN_QUESTION, *_IN_LEAD_IN, *CONJUNCTIONS)


def find_features(question: str, lead_in: str) -> frozenset[str]:
    """Return the names of the features that `question` and `lead_in` show."""
    found = {name for name, pattern in _IN_QUESTION.items() if pattern.search(question)}
    found |= {name for name, pattern in _IN_LEAD_IN.items() if pattern.search(lead_in)}
    found |= {name for name, parts in CONJUNCTIONS.items() if parts <= found}
    return frozenset(found)
