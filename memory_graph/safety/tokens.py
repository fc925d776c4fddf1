"""Find keys, tokens, cookies and the passwords of commands and addresses by their form."""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module

from memory_graph.records import SecretKind
from memory_graph.safety import secrets_table

Span = tuple[int, int]
_PLUGINS = {
    "aws": "AWSKeyDetector",
    "azure_storage_key": "AzureStorageKeyDetector",
    "cloudant": "CloudantDetector",
    "discord": "DiscordBotTokenDetector",
    "github_token": "GitHubTokenDetector",
    "gitlab_token": "GitLabTokenDetector",
    "ibm_cos_hmac": "IbmCosHmacDetector",
    "jwt": "JwtTokenDetector",
    "mailchimp": "MailchimpDetector",
    "npm": "NpmDetector",
    "openai": "OpenAIDetector",
    "pypi_token": "PypiTokenDetector",
    "sendgrid": "SendGridDetector",
    "slack": "SlackDetector",
    "softlayer": "SoftlayerDetector",
    "square_oauth": "SquareOAuthDetector",
    "stripe": "StripeDetector",
    "telegram_token": "TelegramBotTokenDetector",
    "twilio": "TwilioKeyDetector",
}
_LONG_RUN = re.compile(r"[\w+/=.:-]{24}")
"""A text without one holds no token that the library knows."""
_PLACEHOLDER = re.compile(
    r"(?i)^(?:[<{$%\[(].*|x{3,}.*|\*+|\.{3,}|your[_-].*|my[_-](?:token|password|secret|key)|changeme|password|secret|token"
    r"|true|false|null|none|nil|undefined|os\.\w+.*|process\.env.*|env\..*|getenv.*|[\w.]+\(.*|redacted|\[secret\])$"
)


def tokens_in(text: str) -> Iterator[tuple[SecretKind, Span]]:
    """Yield the kind and the place of each secret that its form gives away."""
    lowered = text.lower()
    for kind, needs, form in _forms():
        if needs and not any(each in lowered for each in needs):
            continue
        for match in form.finditer(text):
            span = match.span("secret" if "secret" in form.groupindex else 0)
            if not _PLACEHOLDER.match(text[slice(*span)]):
                yield kind, span
    if _LONG_RUN.search(text):
        for form in _library():
            for match in form.finditer(text):
                groups = [match.span(group) for group in range(1, form.groups + 1) if match[group]]
                span = max(groups or [match.span()], key=lambda each: each[1] - each[0])
                yield "token", span if span[1] - span[0] > 8 else match.span()


@cache
def _forms() -> tuple[tuple[SecretKind, tuple[str, ...], re.Pattern[str]], ...]:
    """Return each form with what a text must hold, in lower case, to be searched for it."""
    return tuple(
        (row["kind"], tuple(row.get("needs", "").split()), re.compile(row["form"]))
        for row in secrets_table()["form"]
    )


@cache
def _library() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of detect-secrets; importing it takes time, so only where needed."""
    plugins = (
        getattr(import_module(f"detect_secrets.plugins.{name}"), detector)
        for name, detector in _PLUGINS.items()
    )
    return tuple(form for plugin in plugins for form in plugin.denylist)
