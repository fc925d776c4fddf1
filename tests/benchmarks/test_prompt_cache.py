from benchmarks.prompt_cache import AGENTS, measure


async def test_memory_leaves_the_prompt_cache_what_a_plain_agent_has() -> None:
    shares = await measure(turns=30)

    assert shares.keys() == AGENTS.keys()
    assert {name: each for name, each in shares.items() if each["of_plain"] < 0.9} == {}
