import re


def test_the_demo_runs_offline_and_tells_facts_apart_from_episodes(run):
    ran = run("demo")

    assert ran.code == 0
    assert "profile:pet:luna:age: 3 → 4" in ran.out
    assert "episode skipped: pure_fact_update" in ran.out
    assert "episode skipped: cooldown" in ran.out
    assert re.search(r"created ep-\w+ \(decision;", ran.out)
    assert re.search(r"merged into ep-\w+ \(", ran.out)
    assert "Traceback" not in ran.out + ran.err


def test_in_the_demo_another_user_knows_nothing(run):
    [_, reply] = re.findall(r"ben> (.*)\nassistant> (.*)", run("demo").out)[-1]

    assert "Luna" not in reply
