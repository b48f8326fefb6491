"""What the service and its clients say to each other, without any I/O.

An operation is a generator: it yields a command, gets the outcome sent back (a network failure is thrown in as
`ConnectionFailed`), and returns its value. The drivers in `_drivers.py` carry the commands out, one of them blocking and one for
asyncio, so that requests, retries and resumption are decided here and in `_operations.py` only.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Callable, Generator, Generic, Mapping, Protocol, TypeVar, Union
from urllib.parse import quote

from .errors import ConnectionFailed, ErrandError, to_error

T = TypeVar("T")

#: Overload, or a proxy that lost the service for a moment.
RETRYABLE_STATUSES = frozenset({429, 502, 503, 504})
FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8.0
#: A longer `Retry-After` is not waited for: the caller gets the error and decides.
LONGEST_RETRY_AFTER_SECONDS = 60.0


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None = None
    #: Whether it may be sent again when nobody knows if the service has seen it.
    repeatable: bool = True
    #: The longest silence, in seconds.
    timeout: float = 60.0


def segment(text: str) -> str:
    """One segment of a path: an id with a slash must not lead elsewhere."""
    if text in ("", ".", ".."):
        raise ValueError(f"{text!r} is not an id")
    return quote(text, safe="")


class Body(Protocol):
    """An open response."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Response:
    status: int
    #: Names in lower case.
    headers: Mapping[str, str]
    #: Empty when the body is open.
    content: bytes = b""
    body: Body | None = None

    def json(self) -> Any:
        try:
            return json.loads(self.content)
        except ValueError:
            kind = self.headers.get("content-type", "no content type")
            raise ConnectionFailed(
                f"Expected JSON, but got {kind} (status {self.status}). Is base_url the URL of an Errand service?"
            ) from None


@dataclass(frozen=True)
class Send:
    """→ `Response` with its content."""

    request: Request


@dataclass(frozen=True)
class Open:
    """→ `Response` with an open body; with its content if it is not a success."""

    request: Request


@dataclass(frozen=True)
class Read:
    """→ some bytes, none at the end."""

    body: Body
    timeout: float


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Call:
    """→ what a function of the caller returns. With asyncio it may be a coroutine function."""

    function: Callable[[Any], Any]
    argument: Any


@dataclass(frozen=True)
class Emit(Generic[T]):
    """One item of an iteration."""

    item: T


Command = Union[Send, Open, Read, Pause, Call]
Operation = Generator[Command, Any, T]
Iteration = Generator[Union[Command, Emit[T]], Any, None]


@dataclass(frozen=True)
class Failure:
    """An attempt that failed."""

    error: ErrandError
    #: None without a response.
    status: int | None = None
    retry_after: float | None = None
    #: Whether the service may have acted on the request.
    has_arrived: bool = True


@dataclass(frozen=True)
class RetryPolicy:
    max_retries: int

    def delay(self, attempt: int, failure: Failure, repeatable: bool) -> float | None:
        """Seconds to wait before the next attempt, or None if there is none. The first attempt is 0."""
        is_passing = failure.status in (None, *RETRYABLE_STATUSES)
        # 429 comes before anything was done.
        is_safe = repeatable or failure.status == 429 or not failure.has_arrived
        if attempt >= self.max_retries or not is_passing or not is_safe:
            return None
        if failure.retry_after is None:
            longest: float = min(FIRST_DELAY_SECONDS * 2.0**attempt, LONGEST_DELAY_SECONDS)
            return longest * random.uniform(0.5, 1.0)
        if failure.retry_after > LONGEST_RETRY_AFTER_SECONDS:
            return None
        # Clients that failed together should not come back together.
        return failure.retry_after + random.uniform(0.0, FIRST_DELAY_SECONDS)


def send(command: Send | Open, retries: RetryPolicy) -> Operation[Response]:
    """Sends a request, again if that can help, and raises what went wrong."""
    attempt = 0
    while True:
        outcome = yield from attempt_once(command)
        if isinstance(outcome, Response):
            return outcome
        delay = retries.delay(attempt, outcome, command.request.repeatable)
        if delay is None:
            raise outcome.error
        yield Pause(delay)
        attempt += 1


def attempt_once(command: Send | Open) -> Operation[Response | Failure]:
    try:
        response: Response = yield command
    except ConnectionFailed as error:
        return Failure(error, has_arrived=error.sent)
    return response if response.status < 300 else read_failure(response)


def read_failure(response: Response) -> Failure:
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    retry_after = parse_retry_after(response.headers.get("retry-after"))
    error = to_error(response.status, body, response.headers.get("x-request-id"), retry_after)
    return Failure(error, response.status, retry_after)


def parse_retry_after(value: str | None) -> float | None:
    """Seconds, from a number or a date (RFC 9110 §10.2.3)."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return None


@dataclass(frozen=True)
class ServerSentEvent:
    id: str
    type: str
    data: str


class EventParser:
    """Server-sent events from bytes, however they are cut."""

    def __init__(self) -> None:
        self._rest = b""
        self._id = ""
        self._type = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        # A CR at the end may be the first half of a line end.
        text = (self._rest + chunk).replace(b"\r\n", b"\n")
        held = b"\r" if text.endswith(b"\r") else b""
        *lines, rest = text[: len(text) - len(held)].replace(b"\r", b"\n").split(b"\n")
        self._rest = rest + held
        found = (self._take(line.decode("utf-8", "replace")) for line in lines)
        return [event for event in found if event is not None]

    def _take(self, line: str) -> ServerSentEvent | None:
        if line == "":
            event = ServerSentEvent(self._id, self._type or "message", "\n".join(self._data)) if self._data else None
            self._type, self._data = "", []
            return event
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._type = value
        elif name == "id" and "\0" not in value:
            self._id = value
        return None
