"""What may a model say to the episode tools?"""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from memory_graph.records import DecisionType, EventType, Outcome, Share

LONGEST_CONTENT = 20_000
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]
Content = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_CONTENT)
]
Names = Annotated[list[Text], Field(max_length=20)]
_BOUND = "ISO 8601 with or without a zone, a bare date, or words such as `yesterday`."


class FactLinkArgs(BaseModel):
    """A fact that came out of the episode."""

    fact_id: Id = Field(description="Id of the fact.")
    confidence: Share = Field(default=1.0, description="How sure the link is, 0 to 1.")


class DecisionArgs(BaseModel):
    """A choice made in the episode."""

    chosen: Text = Field(min_length=1, description="What was chosen.")
    context: Text = Field(default="", description="What had to be decided.")
    options: Names = Field(default=[], description="What else could have been chosen.")
    rationale: Text = Field(default="", description="Why.")
    type: DecisionType = Field(default="design", description="Kind of decision.")
    outcome: Outcome = Field(default="unknown", description="What came of it.")


class EventArgs(BaseModel):
    """Something that happened in the episode."""

    content: Text = Field(min_length=1, description="What happened.")
    type: EventType = Field(default="milestone", description="Kind of event.")


class AddEpisodeArgs(BaseModel):
    """Arguments of `add_episode`."""

    content: Content = Field(description="What happened, in full.")
    summary: Text = Field(default="", description="One or two sentences; left out: the beginning.")
    title: Text = Field(default="", description="A few words; left out: the first sentence.")
    project: Text = Field(default="", description="Project it belongs to; left out: the current.")
    fact_links: list[FactLinkArgs] = Field(
        default=[], max_length=50, description="Facts that came out of it, in order."
    )
    parent_episode_id: Id | None = Field(
        default=None, description="Episode it continues; left out: found by its theme."
    )


class StoreEpisodeArgs(AddEpisodeArgs):
    """Arguments of `store_episode`."""

    outcome: Outcome = Field(default="unknown", description="How it ended.")
    decisions: list[DecisionArgs] = Field(
        default=[], max_length=50, description="What was decided, in order."
    )
    events: list[EventArgs] = Field(
        default=[], max_length=100, description="What happened, in order."
    )
    lessons: Names = Field(default=[], description="What was learnt.")
    metrics: dict[str, float] = Field(default={}, description="Numbers worth keeping, by name.")
    participants: Names = Field(default=[], description="Who took part.")
    tools_used: Names = Field(default=[], description="Which tools were used.")
    entities: Names = Field(default=[], description="Projects, systems and places it is about.")
    tags: Names = Field(default=[], description="Three to five keywords.")


class QueryEpisodesArgs(BaseModel):
    """Arguments of `query_episodes`."""

    time_start: Text = Field(default="", description=f"Not before this. {_BOUND}")
    time_end: Text = Field(default="", description=f"Not after this. {_BOUND}")
    when: Text = Field(default="", description="A time in words, such as `last week`.")
    project: Text = Field(default="", description="Only of this project.")
    outcome: Outcome | None = Field(default=None, description="Only with this outcome.")
    tool: Text = Field(default="", description="Only where this tool was used.")
    participant: Text = Field(default="", description="Only where this person took part.")
    tag: Text = Field(default="", description="Only with this tag.")
    fact_id: Text = Field(default="", description="Only those a fact came out of.")
    limit: int = Field(default=10, ge=1, le=50, description="How many to return at most.")


class SearchEpisodesArgs(QueryEpisodesArgs):
    """Arguments of `search_episodes`."""

    query: Text = Field(min_length=1, description="What it was about, in words.")


class GetEpisodeArgs(BaseModel):
    """Arguments of `get_episode`."""

    episode_id: Id = Field(description="Id of the episode, from a search.")
    include_facts: bool = Field(default=False, description="Add the facts that came out of it.")


class EpisodeIdArgs(BaseModel):
    """Arguments of the tools that take one episode."""

    episode_id: Id = Field(description="Id of the episode, from a search.")


class ReplayTopicArgs(BaseModel):
    """Arguments of `replay_topic`."""

    topic: Text = Field(min_length=1, description="The topic, in words.")
    limit: int = Field(default=5, ge=1, le=50, description="How many to return at most.")
