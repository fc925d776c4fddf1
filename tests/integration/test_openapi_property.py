"""Whatever the OpenAPI page allows, and much that it does not, is answered as it says."""

from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import Route

from memory_graph.server.routes import ROUTES
from tests.integration.conftest import Server

pytestmark = [
    pytest.mark.xdist_group("server"),
    pytest.mark.filterwarnings("ignore:Generating overly large repr"),
    pytest.mark.filterwarnings("ignore:Overriding standard format"),
]
WHO = {"user": "fuzz"}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
EXAMPLES = 15

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
FIELDS = ("text", "messages", "limit", "offset", "kind", "as_of", "entry", "number")
"""Names that routes know, with values that they do not."""

quickly = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def page(server: Server) -> Any:
    """Return the page of the running server, of a user who has something to remember."""
    for text in ("My cat Luna is 3.", "We decided to go with Postgres for the shop."):
        added = httpx.post(f"{server.url}/memory", params=WHO, json={"text": text}, timeout=60)
        assert added.status_code == 200, added.text
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


def name_of(route: Route) -> tuple[str, str]:
    [method] = (route.methods or set()) - {"HEAD"}
    return method, route.path_format


every_route = pytest.mark.parametrize("named", [name_of(each) for each in ROUTES], ids=" ".join)


@every_route
def test_what_the_page_allows_is_answered_as_it_says(page: Any, named: tuple[str, str]) -> None:
    method, path = named

    @given(case=page[path][method].as_strategy(generation_mode=GenerationMode.POSITIVE))
    @quickly
    def ask(case: schemathesis.Case) -> None:
        case.query = {**(case.query or {}), **WHO}
        case.call_and_validate(checks=CHECKS, timeout=60)

    ask()


@every_route
def test_what_the_page_does_not_allow_is_refused_as_it_says(
    page: Any, named: tuple[str, str]
) -> None:
    method, path = named
    given_wrongly = st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3)

    @given(
        case=page[path][method].as_strategy(generation_mode=GenerationMode.POSITIVE),
        query=given_wrongly.map(lambda each: {name: str(value) for name, value in each.items()}),
        body=JSON | given_wrongly,
    )
    @quickly
    def ask(case: schemathesis.Case, query: dict[str, str], body: object) -> None:
        case.query = {**query, **WHO}
        if method == "POST":
            case.body = body
            case.media_type = "application/json"
        case.call_and_validate(checks=CHECKS, timeout=60)

    ask()
