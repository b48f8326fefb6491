"""A local HTTP server that plays the service, and the two clients that talk to it."""

from __future__ import annotations

import asyncio
import json
import threading
import unittest
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable
from urllib.parse import parse_qs, urlsplit

from errand import AsyncErrand, Errand

APPLICATION = "11111111-1111-4111-8111-111111111111"
TOKEN = "the-token"


@dataclass
class Received:
    method: str
    path: str
    query: dict[str, str]
    #: Names in lower case.
    headers: dict[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    #: For streams: sent one after the other. `CUT` closes the connection without an end.
    chunks: list[bytes] | None = None


CUT = b"\0cut"


class Service:
    """Responds with `answer(request)`, and keeps what it received."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answer: Callable[[Received], Reply] = lambda _: Reply(404)
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                url = urlsplit(self.path)
                request = Received(
                    self.command,
                    url.path,
                    {name: values[0] for name, values in parse_qs(url.query).items()},
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(int(self.headers.get("content-length", 0))),
                )
                service.received.append(request)
                self.send(service.answer(request))

            do_GET = do_POST = handle_any

            def send(self, reply: Reply) -> None:
                if reply.status == 0:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                if reply.chunks is not None:
                    self.send_stream(reply.chunks)
                    return
                content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                if "content-type" not in reply.headers:
                    self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def send_stream(self, chunks: list[bytes]) -> None:
                self.send_header("content-type", "text/event-stream")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                for chunk in chunks:
                    if chunk == CUT:
                        self.close_connection = True
                        return
                    self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """Clients may leave at any time."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def reply_in_turn(self, *replies: Reply) -> None:
        """One reply for each request; more requests get a 418."""
        left = iter(replies)
        self.answer = lambda _: next(left, Reply(418))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class ServiceTest(unittest.TestCase):
    """Sets `service` and `client`. The two subclasses run the same tests with both clients."""

    def setUp(self) -> None:
        self.service = Service()
        self.addCleanup(self.service.close)

    def make(self, **options: Any) -> Any:
        raise NotImplementedError

    def value(self, called: Any) -> Any:
        """What a method returns."""
        raise NotImplementedError

    def items(self, iterator: Any) -> list[Any]:
        """What an iterator returns."""
        raise NotImplementedError

    def options(self, options: dict[str, Any]) -> dict[str, Any]:
        given = {"base_url": self.service.url, "application_id": APPLICATION, "access_token": TOKEN}
        return {**given, **options}


class Blocking(ServiceTest):
    def make(self, **options: Any) -> Errand:
        return Errand(**self.options(options))

    def value(self, called: Any) -> Any:
        return called

    def items(self, iterator: Any) -> list[Any]:
        return list(iterator)


class Asynchronous(ServiceTest):
    def make(self, **options: Any) -> AsyncErrand:
        client = AsyncErrand(**self.options(options))
        self.addCleanup(lambda: asyncio.run(client.close()))
        return client

    def value(self, called: Any) -> Any:
        return asyncio.run(called)

    def items(self, iterator: Any) -> list[Any]:
        async def collect() -> list[Any]:
            return [item async for item in iterator]

        return asyncio.run(collect())


def execution(status: str = "COMPLETED", **changes: Any) -> dict[str, Any]:
    """As the service sends it."""
    ended = status in ("COMPLETED", "FAILED")
    result = {
        "final_text": "€64.90",
        "final_url": "http://shop.example/kettle",
        "final_title": "Kettle",
        "extracted": None,
        "evidence": {"urls": [], "verifier": {"agreed": True, "reason": "All checks passed."}, "side_effects": []},
    }
    failed = {"code": "UNVERIFIED", "message": "The verifier disagreed."}
    terminal = {"status": "verified" if status == "COMPLETED" else "unverified", "reason": "…"}
    return {
        "id": "22222222-2222-7222-8222-222222222222",
        "status": status,
        "terminal": terminal if ended else None,
        "prompt": "Find the price.",
        "start_url": None,
        "output_schema": None,
        "result": result if status == "COMPLETED" else None,
        "error": failed if status == "FAILED" else None,
        "usage": {"credits": 1, "charged": status == "COMPLETED"},
        "created_at": "2026-03-11T10:00:00.000Z",
        "updated_at": "2026-03-11T10:00:00.000Z",
        "completed_at": "2026-03-11T10:00:00.000Z" if ended else None,
        **changes,
    }


def error(status: int, code: str, headers: dict[str, str] | None = None) -> Reply:
    body = {"error": {"code": code, "message": "What to do next.", "request_id": "request-1"}}
    return Reply(status, body, headers or {})
