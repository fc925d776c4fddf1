"""What a developer's shape says to the reading call, and how it files what comes back."""

from memory_graph.shape import Shape


class InvalidValueError(ValueError):
    """A value does not fit the attribute or the field that it is stated for."""


def in_words(shape: Shape) -> str:
    """Return what matters in the product, as the reading call is told it; mostly nothing."""
    lines: list[str] = []
    if shape.keep:
        lines.append("What matters here: " + " ".join(_sentence(each) for each in shape.keep))
    if shape.never:
        lines.append("Never write down anything about: " + "; ".join(shape.never) + ".")
    if shape.fields:
        lines.append(
            "More attributes, each with its value in the form in brackets, one fact for each:"
        )
        lines += [f"- {name}: {field.in_words}" for name, field in shape.fields.items()]
    return "\n".join(lines)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def filed_by(shape: Shape, attribute: str, value: str, entity: object) -> dict[str, object]:
    """Return attribute, value, key, category and importance of what the shape names.

    Raises:
        InvalidValueError: If the value is none of the attribute.
    """
    named = shape.field_named(attribute) if attribute and value else None
    if named is None:
        return {}
    name, field = named
    try:
        read = str(field.read(value))
    except ValueError as error:
        raise InvalidValueError(str(error)) from error
    own = shape.attributes.get(field.path)
    filed: dict[str, object] = {
        "attribute": name,
        "value": read,
        "key": shape.key_of(name, read, str(entity)),
    }
    return filed | ({"category": own.category, "importance": own.importance} if own else {})
