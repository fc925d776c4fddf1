import pytest

from memory_graph.language.words import BASE_FORMS


@pytest.mark.parametrize(
    ("form", "base"),
    [("bought", "buy"), ("drawn", "draw"), ("children", "child"), ("written", "write")],
)
def test_an_irregular_form_has_a_base(form, base):
    assert BASE_FORMS[form] == base


@pytest.mark.parametrize("form", ["lives", "leaves", "left", "rose", "bit", "shot", "fell"])
def test_a_form_that_is_also_a_word_of_its_own_has_none(form):
    assert form not in BASE_FORMS


def test_no_base_is_a_form_of_another_word():
    assert BASE_FORMS.keys().isdisjoint(BASE_FORMS.values())
