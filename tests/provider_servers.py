"""Real HTTP servers that speak as much of other providers' protocols as the tests need."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Provider:
    """A server that answers internal calls with facts, and others with a word."""

    url: str = ""
    requests: list[tuple[str, dict]] = field(default_factory=list)
    facts: str = '{"facts": []}'
    status: int = 200

    def is_internal(self, body: dict) -> bool:
        return "You keep the long-term memory" in json.dumps(body)

    @property
    def internal(self) -> list[dict]:
        return [body for _, body in self.requests if self.is_internal(body)]


Speak = Callable[[str, dict, str], object]


def anthropic(path: str, body: dict, facts: str) -> object:
    """Answer as `/v1/messages` does: by a tool call if a tool is asked for."""
    content: list[dict] = [{"type": "text", "text": "Noted."}]
    if tools := body.get("tools"):
        call = {"type": "tool_use", "id": "tu_1", "name": tools[0]["name"]}
        content = [{**call, "input": json.loads(facts)}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "tool_use" if body.get("tools") else "end_turn",
        "usage": {"input_tokens": 321, "output_tokens": 12},
    }


def ollama(path: str, body: dict, facts: str) -> object:
    """Answer as `/api/chat` and `/api/embed` do."""
    if path.endswith("/api/embed"):
        inputs = body["input"] if isinstance(body["input"], list) else [body["input"]]
        return {"model": body["model"], "embeddings": [toy_vector(text) for text in inputs]}
    return {
        "model": body["model"],
        "created_at": "2026-11-16T12:00:00Z",
        "message": {"role": "assistant", "content": facts if body.get("format") else "Noted."},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 321,
        "eval_count": 12,
    }


def google(path: str, body: dict, facts: str) -> object:
    """Answer as `:generateContent` does."""
    wants = body.get("generationConfig", {}).get("responseMimeType") == "application/json"
    parts = [{"text": facts if wants else "Noted."}]
    return {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": 321,
            "candidatesTokenCount": 12,
            "totalTokenCount": 333,
        },
        "modelVersion": "gemini-small",
    }


def mistral(path: str, body: dict, facts: str) -> object:
    """Answer as `/v1/chat/completions` of Mistral does."""
    message: dict = {"role": "assistant", "content": "Noted."}
    if tools := body.get("tools"):
        function = {"name": tools[0]["function"]["name"], "arguments": facts}
        message = {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "function": function}],
        }
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 321, "completion_tokens": 12, "total_tokens": 333},
    }


def toy_vector(text: str) -> list[float]:
    """Return a vector by the letters of a text: alike for alike texts."""
    return [1.0 + text.casefold().count(letter) for letter in "abcdefghijklmnop"]


@contextmanager
def serving(speak: Speak) -> Iterator[Provider]:
    """Run a provider on a free port."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            provider.requests.append((self.path, body))
            answer = speak(self.path, body, provider.facts)
            sent = json.dumps(answer if provider.status == 200 else {"error": "no"}).encode()
            self.send_response(provider.status)
            kind = "application/x-ndjson" if "/api/" in self.path else "application/json"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    serve = partial(server.serve_forever, poll_interval=0.02)  # how long a shutdown takes
    threading.Thread(target=serve, daemon=True).start()
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
