"""What a small team's agent remembers: of each theme a failure, advice and a warning."""

from dataclasses import dataclass
from datetime import timedelta

from memory_graph.records import Episode, Pattern
from memory_graph.store.scope import UserMemory
from tests.examples import NOON, a_fact, a_pattern, an_episode


@dataclass(frozen=True)
class Theme:
    """What fits one kind of task, and nothing else."""

    task: str
    failure: Episode
    advice: Pattern
    warning: Pattern
    next_step: str


def _theme(task: str, failure: tuple[str, str], advice: Pattern, warning: Pattern) -> Theme:
    title, summary = failure
    step = f"Write down how to {task}"
    episode = an_episode(
        f"ep-{advice.name}",
        title,
        summary=summary,
        outcome="failure",
        ended_at=NOON - timedelta(days=2),
        next_steps=(step,),
    )
    return Theme(task, episode, advice, warning, step)


def _worked(name: str, trigger: str, action: str) -> Pattern:
    return a_pattern(name, trigger=trigger, action=action, successes=9, occurrences=10)


def _failed(name: str, trigger: str, action: str) -> Pattern:
    return a_pattern(
        name, trigger=trigger, action=action, kind="antipattern", successes=0, occurrences=4
    )


THEMES = (
    _theme(
        "deploy the billing service to production",
        (
            "deploying the billing service",
            "The deploy to production failed because the billing service lacked a token.",
        ),
        _worked(
            "run-smoke-tests-first",
            "a service is deployed to production",
            "run the smoke tests before and after",
        ),
        _failed(
            "deploy-on-friday",
            "a service is to be deployed on a Friday evening",
            "deploy at once and watch the dashboards from home",
        ),
    ),
    _theme(
        "migrate the customers table to the new database schema",
        (
            "migrating the customers table",
            "The schema migration locked the customers table of the database for an hour.",
        ),
        _worked(
            "migrate-in-batches",
            "a large database table is migrated to a new schema",
            "copy rows in batches and switch over at the end",
        ),
        _failed(
            "migrate-without-backup",
            "the schema of a database table is changed",
            "migrate without a backup to save time",
        ),
    ),
    _theme(
        "write the newsletter for our subscribers",
        (
            "sending the newsletter",
            "The newsletter went out to all subscribers with a broken link.",
        ),
        _worked(
            "send-a-test-mail",
            "a newsletter is about to go out to subscribers",
            "send it to yourself and click every link",
        ),
        _failed(
            "write-long-subject-lines",
            "the subject line of a newsletter is written",
            "put the whole story in the subject",
        ),
    ),
)


async def keep_demo(memory: UserMemory) -> None:
    """Fill a memory with every theme, and with things that are no warning or advice."""
    old = an_episode(
        "ep-old",
        "deploying the billing service in spring",
        summary="The deploy of the billing service failed on a full disk.",
        outcome="failure",
        ended_at=NOON - timedelta(days=90),
    )
    coin_toss = a_pattern(
        "restart-the-service",
        trigger="a service is deployed to production",
        successes=5,
        occurrences=10,
    )
    patterns = [each for theme in THEMES for each in (theme.advice, theme.warning)]
    puts = await memory.episodes.puts([old, *(theme.failure for theme in THEMES)], NOON)
    puts += await memory.patterns.puts([coin_toss, *patterns], NOON)
    puts += await memory.facts.puts(
        [
            a_fact("profile:name", "The user is called Ana.", importance=5),
            a_fact("preference:tea", "The user likes green tea.", importance=2),
        ],
        NOON,
    )
    await memory.commit(puts)
