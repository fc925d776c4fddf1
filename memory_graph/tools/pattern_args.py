"""What may a model say to the pattern tools?"""

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from memory_graph.records import RelationType

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
Words = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500)]


class RelationArgs(BaseModel):
    """How a pattern acts on another."""

    type: RelationType = Field(description="What the pattern does to the target.")
    target: Name = Field(description="Name of the other pattern; it may not exist yet.")


class AddPatternArgs(BaseModel):
    """Arguments of `add_pattern`."""

    name: Name = Field(description="Short name in kebab-case, such as `retry-on-timeout`.")
    trigger: Words = Field(default="", description="When it applies. Required for a new name.")
    action: Words = Field(default="", description="What was done then. Required for a new name.")
    description: Words = Field(default="", description="Why it works or fails, if known.")
    success: bool | None = Field(
        default=None,
        description="Did it work this time? Left out: yes for a pattern, no for an anti-pattern.",
    )
    evidence_episode: str | None = Field(
        default=None, description="Id of the episode in which it was seen."
    )
    relations: list[RelationArgs] = Field(
        default=[], max_length=20, description="How it acts on other patterns."
    )
    is_antipattern: bool | None = Field(
        default=None, description="True for something to avoid. Left out: as it is known."
    )


class QueryPatternsArgs(BaseModel):
    """Arguments of `query_patterns`."""

    trigger: Words = Field(default="", description="The situation; empty for any.")
    min_success_rate: float = Field(default=0, ge=0, le=1, description="Least share that worked.")
    min_occurrences: int = Field(default=0, ge=0, description="Least number of times tried.")
    limit: int = Field(default=20, ge=1, le=100, description="How many to return at most.")


class CausalPathArgs(BaseModel):
    """Arguments of `get_causal_path`."""

    from_pattern: Name = Field(description="Name of the cause, or a part of it.")
    to_pattern: Name = Field(description="Name of the effect, or a part of it.")
    max_depth: int = Field(default=5, ge=1, le=10, description="Most steps between them.")


class AntipatternsArgs(BaseModel):
    """Arguments of `get_antipatterns`."""

    max_success_rate: float | None = Field(
        default=None, ge=0, le=1, description="Largest share that worked; left out: as configured."
    )
    min_occurrences: int | None = Field(
        default=None, ge=1, description="Least number of times tried; left out: as configured."
    )


class PatternNameArgs(BaseModel):
    """Arguments of the tools that take one pattern."""

    name: Name = Field(description="The pattern's full name.")
