"""A real HTTP server that speaks as much of OpenAI's protocol as the tests need."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    """What the server sends back."""

    body: str
    status: int = 200
    content_type: str = "application/json"
    delay_s: float = 0.0


@dataclass
class Endpoint:
    """Answers each request as the test says, and keeps what it was asked."""

    url: str = ""
    requests: list[dict] = field(default_factory=list)
    answer: Callable[[dict], Reply] = lambda request: completion("ok")

    @property
    def internal(self) -> list[dict]:
        """Requests that asked for a structured answer."""
        return [each for each in self.requests if is_internal(each)]


def is_internal(request: dict) -> bool:
    prompt = str(request["messages"][-1]["content"])
    return bool(request.get("response_format") or request.get("tools")) or "JSON of this" in prompt


def completion(
    content: str | None, *, usage: bool = True, finish: str = "stop", **message: object
) -> Reply:
    """Return an ordinary answer."""
    body: dict[str, object] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "small",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
    }
    if usage:
        body["usage"] = {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333}
    return Reply(json.dumps(body))


def tool_call(arguments: str) -> Reply:
    """Return an answer by function call."""
    function = {"name": "ExtractedFacts", "arguments": arguments}
    call = {"id": "call_1", "type": "function", "function": function}
    return completion(None, finish="tool_calls", tool_calls=[call])


def failure(status: int, message: str = "no") -> Reply:
    """Return an error as the API words it."""
    return Reply(json.dumps({"error": {"message": message, "type": "x", "code": None}}), status)


def streamed(reply: Reply) -> Reply:
    """Return an ordinary answer as a stream, without usage, as many servers do."""
    if reply.status != 200 or "chat.completion" not in reply.body:
        return reply
    whole = json.loads(reply.body)
    [choice] = whole["choices"]
    chunk = {**whole, "object": "chat.completion.chunk", "usage": None}
    chunk["choices"] = [{"index": 0, "delta": choice["message"], "finish_reason": "stop"}]
    return Reply(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", 200, "text/event-stream")


@contextmanager
def serving() -> Iterator[Endpoint]:
    """Run an endpoint on a free port."""
    endpoint = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.requests.append(request)
            reply = endpoint.answer(request)
            if request.get("stream"):
                reply = streamed(reply)
            time.sleep(reply.delay_s)
            body = reply.body.encode()
            try:
                self.send_response(reply.status)
                self.send_header("Content-Type", reply.content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serve = partial(server.serve_forever, poll_interval=0.02)  # how long a shutdown takes
    threading.Thread(target=serve, daemon=True).start()
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
