import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from tests.scenarios.comparing import Outcome, run
from tests.scenarios.scenarios import SCENARIOS, SCRIPTED, scripted_model
from tests.scenarios.surfaces import SURFACES, open_surface

_references: dict[str, Outcome] = {}


async def reference(name: str) -> Outcome:
    """What a scenario leaves behind on our own graph, in memory."""
    if name not in _references:
        model = scripted_model() if name in SCRIPTED else None
        surface = open_surface(SURFACES["graph"], InMemoryStore(), model)
        _references[name] = await run(name, surface)
    return _references[name]


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", SCENARIOS)
async def test_a_scenario_holds_and_writes_the_same_everywhere(
    name: str, surface: str, any_store: BaseStore
) -> None:
    expected = await reference(name)
    model = scripted_model() if name in SCRIPTED else None

    outcome = await run(name, open_surface(SURFACES[surface], any_store, model, expected.replies))

    assert outcome == expected


def test_there_are_twelve_scenarios() -> None:
    assert len(SCENARIOS) == 12
