"""An execution's events, and how long to wait for them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from ._protocol import Body, EventParser, Failure, Open, Operation, Pause, Read, attempt_once, segment
from .errors import ConnectionFailed, WaitTimedOut
from .types import ExecutionEvent

if TYPE_CHECKING:
    from ._operations import Core

ENDED = ("COMPLETED", "FAILED")
#: The stream has a comment every 15 seconds: without one for this long, it is broken.
SILENCE_SECONDS = 45.0


class Deadline:
    def __init__(self, execution_id: str, timeout: float | None) -> None:
        self._execution_id = execution_id
        self._timeout = timeout
        self._ends = None if timeout is None else time.monotonic() + timeout

    def within(self, seconds: float) -> float:
        """These seconds, or what is left."""
        return seconds if self._ends is None else max(0.0, min(seconds, self._ends - time.monotonic()))

    def check(self) -> None:
        if self._timeout is not None and self.within(1.0) == 0.0:
            raise WaitTimedOut(self._execution_id, self._timeout)


class EventStream:
    """An execution's events to the last one, over as many connections as it takes."""

    def __init__(self, core: Core, execution_id: str, after: int, deadline: Deadline | None = None) -> None:
        self._core = core
        self._execution_id = execution_id
        self._last_id = after
        self._deadline = deadline or Deadline(execution_id, None)
        self._body: Body | None = None
        self._parser = EventParser()
        self._events: list[ExecutionEvent] = []
        self._ended = False
        self._has_progressed = False
        self._failures = 0

    def next(self) -> Operation[ExecutionEvent | None]:
        """The next event, or None after the last one."""
        while not self._events:
            if self._ended:
                return None
            self._deadline.check()
            if self._body is None:
                yield from self._connect()
            else:
                yield from self._read(self._body)
        return self._take()

    def close(self) -> None:
        if self._body is not None:
            self._body.close()
            self._body = None

    def _connect(self) -> Operation[None]:
        path = f"/executions/{segment(self._execution_id)}/events"
        resume = {"Last-Event-ID": str(self._last_id)} if self._last_id > 0 else {}
        request = self._core.request("GET", path, headers={"Accept": "text/event-stream", **resume})
        opened = yield from attempt_once(Open(request))
        if isinstance(opened, Failure):
            yield from self._pause(opened)
        else:
            self._body, self._parser, self._has_progressed = opened.body, EventParser(), False

    def _read(self, body: Body) -> Operation[None]:
        try:
            chunk = yield Read(body, max(0.001, self._deadline.within(SILENCE_SECONDS)))
        except ConnectionFailed as error:
            self.close()
            self._deadline.check()
            yield from self._pause(Failure(error))
            return
        if chunk:
            # Only failures in a row count: an execution can outlive many connections.
            self._failures = 0
            parsed = [json.loads(event.data) for event in self._parser.feed(chunk)]
            self._events = [event for event in parsed if event["id"] > self._last_id]
            return
        self.close()
        if not self._has_progressed:
            # There is nothing after the last event, or the service is stopping.
            self._ended = (yield from self._core.get(self._execution_id))["status"] in ENDED
            if not self._ended:
                yield from self._pause(Failure(ConnectionFailed("The service ended the stream of events early.")))

    def _pause(self, failure: Failure) -> Operation[None]:
        delay = self._core.retries.delay(self._failures, failure, repeatable=True)
        if delay is None:
            raise failure.error
        self._failures += 1
        yield Pause(self._deadline.within(delay))

    def _take(self) -> ExecutionEvent:
        event = self._events.pop(0)
        self._last_id = event["id"]
        self._has_progressed = True
        self._ended = event["type"] in ("execution.completed", "execution.failed")
        return event
