import pytest

STORY = "We decided to move the photo archive to Postgres, because SQLite kept locking.\n/quit\n"


@pytest.fixture
def story(run):
    run("chat", "--user", "ana", stdin=STORY)
    [episode] = run("episodes", "list", "--user", "ana", "--json").json
    return episode


def test_episodes_are_listed_as_a_timeline(run, story):
    out = run("episodes", "list", "--user", "ana").out

    assert story["date_iso"] in out
    assert story["id"][:11] in out
    assert "photo archive" in out


@pytest.mark.parametrize(
    "argv",
    [
        pytest.param(("show", "ID"), id="show"),
        pytest.param(("search", "photo archive"), id="search"),
        pytest.param(("chain", "ID"), id="chain"),
        pytest.param(("replay", "photo archive"), id="replay"),
    ],
)
def test_every_view_shows_the_episode(run, story, argv):
    given = [story["id"][:11] if each == "ID" else each for each in argv]
    ran = run("episodes", *given, "--user", "ana")

    assert ran.code == 0
    assert "photo archive" in ran.out


def test_filters_that_fit_nothing_say_so(run, story):
    assert "No episodes match." in run("episodes", "list", "--user", "ana", "--tag", "none").out
    assert run("episodes", "list", "--user", "ana", "--when", "purple").code == 2


def test_an_unknown_id_and_another_users_are_not_found(run, story):
    assert run("episodes", "show", "nope", "--user", "ana").code == 1
    assert run("episodes", "show", story["id"], "--user", "ben").code == 1


def test_deleting_needs_a_yes(run, story):
    assert run("episodes", "delete", story["id"], "--user", "ana").code == 2
    assert run("episodes", "delete", story["id"], "--user", "ana", "--yes").code == 0
    assert run("episodes", "list", "--user", "ana", "--json").json == []


def test_maintenance_is_a_dry_run_by_default(run, story):
    ran = run("maintain", "--user", "ana", "--json")

    assert ran.json == {"applied": False, "changes": []}
