"""What JSON is in a model's message, however it was wrapped or cut off?"""

import json
import re

from langchain_core.messages import AIMessage
from langchain_core.utils.json import parse_partial_json

from memory_graph.errors import ExtractionError

_decoder = json.JSONDecoder(strict=False)
_MOST_OPENINGS = 20
_LISTED = re.compile(r"\[\s*\{")


def read_payload(message: AIMessage) -> object:
    """Return the JSON of an answer: a tool call's, or the first in the text.

    Raises:
        ExtractionError: If the model refused, or there is no JSON to be read.
    """
    if refusal := message.additional_kwargs.get("refusal"):
        raise ExtractionError(f"The model refused ({len(str(refusal))} characters).", "refused")
    if message.tool_calls:
        return message.tool_calls[0]["args"]
    if message.invalid_tool_calls:
        return _decode(str(message.invalid_tool_calls[0]["args"]))
    return _decode(str(message.text))


def _decode(text: str) -> object:
    """Return the first JSON in a text; of one that was cut off, what was complete."""
    openings = [place for place, character in enumerate(text) if character in "{["]
    if not openings:
        raise ExtractionError("The model answered without JSON.", "no_json")
    first, *others = openings[:_MOST_OPENINGS]
    for read, start in ((_whole, first), (_partial, first), *((_whole, each) for each in others)):
        try:
            return read(text, start)
        except ValueError:
            continue
    raise ExtractionError("The model's JSON could not be read.", "unreadable_json")


def _whole(text: str, start: int) -> object:
    return _decoder.raw_decode(text, start)[0]


def _partial(text: str, start: int) -> object:
    """Read what was cut off; half an object in a list becomes `null`, so that it is counted."""
    body = text[start:].removesuffix("```").strip()
    if _LISTED.search(body):
        body = f"{body[: body.rindex('}') + 1]}, null"
    return parse_partial_json(body)
