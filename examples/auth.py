"""Per-user memory on LangGraph Server: the token says who is asking, and nothing else does.

In `langgraph.json`: `"auth": {"path": "./examples/auth.py:auth", "disable_studio_auth": true}`.
Replace `TOKENS` by your identity provider.
"""

from typing import Any

from langgraph_sdk import Auth

from memory_graph.store.labels import ROOT, user_label

TOKENS = {"token-of-ana": "ana@example.com", "token-of-ben": "ben@example.com"}

auth = Auth()


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    """Return who a bearer token belongs to."""
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or token not in TOKENS:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Sign in first.")
    return {"identity": TOKENS[token]}


@auth.on
async def only_what_one_owns(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, str]:
    """Mark threads, runs and crons with their owner, and show each owner only theirs."""
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return owner


@auth.on.assistants.read
async def everyone_may_read_the_assistants(
    ctx: Auth.types.AuthContext, value: Auth.types.AssistantsRead
) -> bool:
    """Let everybody run the deployed graphs."""
    return True


@auth.on.assistants.search
async def everyone_may_find_the_assistants(
    ctx: Auth.types.AuthContext, value: Auth.types.AssistantsSearch
) -> bool:
    """Let everybody find the deployed graphs."""
    return True


@auth.on.store
async def only_ones_own_memory(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> bool:
    """Refuse every namespace but the user's own, over `/store/*`; graphs check for themselves."""
    own = (ROOT, user_label(ctx.user.identity))
    asked = tuple(value.get("namespace") or value.get("prefix") or ())
    if asked[: len(own)] != own:
        raise Auth.exceptions.HTTPException(status_code=403, detail="Not your memory.")
    return True
