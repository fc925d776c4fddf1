"""How many tokens does a text cost in a prompt?"""


def count_tokens(text: str) -> int:
    """Estimate tokens from above: English runs at four characters a token."""
    return len(text) // 3
