"""What may a model say to the fact tools?"""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from memory_graph.records import FactCategory

Statement = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]
Word = Annotated[str, StringConstraints(strip_whitespace=True, max_length=120)]
FactId = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]


class RememberFactArgs(BaseModel):
    """Arguments of `remember_fact`."""

    statement: Statement = Field(
        description="One full sentence in the third person: `The user's cat Luna is 4.`"
    )
    category: FactCategory = Field(default="other", description="What kind of fact it is.")
    entity: Word = Field(default="user", description="Whom it is about: `user`, or a name.")
    entity_kind: Word | None = Field(
        default=None, description="`cat`, `sister`, `company`, …; left out for the user."
    )
    attribute: Word | None = Field(
        default=None, description="One common noun: `city`, `job`, `age`, `allergy`, …."
    )
    value: Word | None = Field(default=None, description="The value of the attribute.")
    event_date: date | None = Field(default=None, description="Its day, if it is an event.")


class RecallFactsArgs(BaseModel):
    """Arguments of `recall_facts`."""

    query: Word = Field(default="", description="What to look for; empty for everything.")
    as_of: date | None = Field(
        default=None, description="What was true at the end of that day, as 2026-11-16."
    )
    category: FactCategory | None = Field(default=None, description="Only such facts.")
    entity: Word | None = Field(default=None, description="Only about this person or thing.")
    limit: int = Field(default=10, ge=1, le=50, description="How many to return at most.")


class CorrectFactArgs(BaseModel):
    """Arguments of `correct_fact`."""

    fact_id: FactId = Field(description="Id of the fact, from `recall_facts`.")
    statement: Statement = Field(description="The fact as it is now, in one full sentence.")
    value: Word | None = Field(default=None, description="The new value of its attribute.")


class ForgetFactArgs(BaseModel):
    """Arguments of `forget_fact`."""

    fact_id: FactId = Field(description="Id of the fact, from `recall_facts`.")
