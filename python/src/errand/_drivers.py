"""Carry out operations: one driver blocks, the other one is for asyncio.

Both use `http.client`, which brings TLS, proxies and parsing that have been in use for decades. The asyncio driver runs the
blocking calls in threads: the standard library has no HTTP client for asyncio, and a call that is canceled closes its
connection, which ends its thread. Each request has a connection of its own, so that nothing is shared between threads.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import inspect
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncIterator, Callable, Generator, Iterator, Mapping, NamedTuple, TypeVar
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from ._protocol import Call, Command, Emit, Iteration, Open, Operation, Pause, Read, Request, Response, Send
from .errors import ConnectionFailed, RequestTimedOut

T = TypeVar("T")

CHUNK_BYTES = 65_536
#: Threads are started when they are needed. A request that waits keeps one.
MAX_THREADS = 256


class Exchange:
    """One request and its response on one connection. `abort` may be called from another thread."""

    def __init__(self, request: Request, tls: ssl.SSLContext | None) -> None:
        self._request = request
        self._route = find_route(request, tls)
        self._connection = self._route.connection
        self._socket: socket.socket | None = None
        self._response: http.client.HTTPResponse | None = None
        self._aborted = False

    def open(self) -> Response:
        """Sends the request. The body of the response is still to be read."""
        request = self._request
        sent = False
        try:
            self._connection.connect()
            # The connection drops its socket when the response has begun.
            self._socket = self._connection.sock
            if self._aborted:
                raise ConnectionAbortedError("canceled")
            sent = True
            sent_headers = {**request.headers, **self._route.headers, "Connection": "close"}
            self._connection.request(request.method, self._route.target, request.body, sent_headers)
            self._response = self._connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise connection_failed(request, error, sent) from error
        headers = {name.lower(): value for name, value in self._response.getheaders()}
        return Response(self._response.status, headers, body=self)

    def read(self, timeout: float) -> bytes:
        """Some bytes as soon as there are any; none at the end."""
        return self._reading(lambda response: response.read1(CHUNK_BYTES), timeout)

    def read_all(self) -> Response:
        """The response with its content."""
        return self._complete(self.open())

    def open_stream(self) -> Response:
        """The response with its body open, or with its content if it is not a success."""
        opened = self.open()
        return opened if opened.status < 300 else self._complete(opened)

    def abort(self) -> None:
        """Wakes the thread that waits for this connection."""
        self._aborted = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _complete(self, opened: Response) -> Response:
        try:
            # Unlike `read1`, this notices when a part is missing.
            content = self._reading(lambda response: response.read(), self._request.timeout)
            return Response(opened.status, opened.headers, content)
        finally:
            self.close()

    def _reading(self, read: Callable[[http.client.HTTPResponse], bytes], timeout: float) -> bytes:
        if self._response is None or self._response.isclosed():
            return b""
        try:
            if self._socket is not None:
                self._socket.settimeout(timeout)
            return read(self._response)
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.close()
            raise connection_failed(self._request, error, True) from error

    def close(self) -> None:
        if self._response is not None:
            self._response.close()
        self._connection.close()


class Route(NamedTuple):
    connection: http.client.HTTPConnection
    #: What to ask for on it.
    target: str
    headers: Mapping[str, str] = {}


def find_route(request: Request, tls: ssl.SSLContext | None) -> Route:
    """To the service, through the proxy of the environment if there is one (`HTTP_PROXY`, `HTTPS_PROXY`, `NO_PROXY`)."""
    url = urlsplit(request.url)
    host, is_secure = url.hostname or "", url.scheme == "https"
    target = url.path + (f"?{url.query}" if url.query else "")
    proxy_url = None if proxy_bypass(host) else getproxies().get(url.scheme)
    proxy = None if proxy_url is None else urlsplit(proxy_url)
    next_host, next_port = (host, url.port) if proxy is None else (proxy.hostname or "", proxy.port)
    connection = (
        http.client.HTTPSConnection(next_host, next_port, timeout=request.timeout, context=tls)
        if is_secure
        else http.client.HTTPConnection(next_host, next_port, timeout=request.timeout)
    )
    if proxy is None:
        return Route(connection, target)
    headers = authorize_at(proxy)
    if not is_secure:
        return Route(connection, request.url, headers)
    connection.set_tunnel(host, url.port or 443, headers)
    return Route(connection, target)


def authorize_at(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}


def connection_failed(request: Request, error: Exception, sent: bool) -> ConnectionFailed:
    url = urlsplit(request.url)
    origin = f"{url.scheme}://{url.netloc}"
    if isinstance(error, TimeoutError):
        return RequestTimedOut(f"{origin} did not respond in time ({request.method} {url.path}).", sent=sent)
    reason = str(error) or type(error).__name__
    what = "Lost the connection to" if sent else "Could not reach"
    return ConnectionFailed(f"{what} {origin}: {reason} ({request.method} {url.path}).", sent=sent)


class Outcome(NamedTuple):
    """Of a command."""

    value: Any = None
    error: Exception | None = None


def resume(operation: Generator[Any, Any, Any], outcome: Outcome) -> Any:
    return operation.send(outcome.value) if outcome.error is None else operation.throw(outcome.error)


class BlockingDriver:
    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self._tls = tls

    def run(self, operation: Operation[T]) -> T:
        outcome = Outcome()
        try:
            while True:
                outcome = self._perform(resume(operation, outcome))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            operation.close()

    def iterate(self, iteration: Iteration[T]) -> Iterator[T]:
        outcome = Outcome()
        try:
            while True:
                command = resume(iteration, outcome)
                if isinstance(command, Emit):
                    yield command.item
                    outcome = Outcome()
                else:
                    outcome = self._perform(command)
        except StopIteration:
            return
        finally:
            iteration.close()

    def _perform(self, command: Command) -> Outcome:
        try:
            return Outcome(self._carry_out(command))
        except Exception as error:
            return Outcome(error=error)

    def _carry_out(self, command: Command) -> Any:
        match command:
            case Send(request):
                return Exchange(request, self._tls).read_all()
            case Open(request):
                return Exchange(request, self._tls).open_stream()
            case Read(Exchange() as exchange, timeout):
                return exchange.read(timeout)
            case Pause(seconds):
                return time.sleep(seconds)
            case Call(function, argument):
                return function(argument)
        raise TypeError(command)


class AsyncDriver:
    def __init__(self, tls: ssl.SSLContext | None) -> None:
        self._tls = tls
        self._threads = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="errand")

    async def run(self, operation: Operation[T]) -> T:
        outcome = Outcome()
        try:
            while True:
                outcome = await self._perform(resume(operation, outcome))
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            operation.close()

    async def iterate(self, iteration: Iteration[T]) -> AsyncIterator[T]:
        outcome = Outcome()
        try:
            while True:
                command = resume(iteration, outcome)
                if isinstance(command, Emit):
                    yield command.item
                    outcome = Outcome()
                else:
                    outcome = await self._perform(command)
        except StopIteration:
            return
        finally:
            iteration.close()

    def close(self) -> None:
        self._threads.shutdown(wait=False)

    async def _perform(self, command: Command) -> Outcome:
        try:
            return Outcome(await self._carry_out(command))
        except Exception as error:
            return Outcome(error=error)

    async def _carry_out(self, command: Command) -> Any:
        match command:
            case Send(request):
                exchange = Exchange(request, self._tls)
                return await self._in_thread(exchange, exchange.read_all)
            case Open(request):
                exchange = Exchange(request, self._tls)
                return await self._in_thread(exchange, exchange.open_stream)
            case Read(Exchange() as exchange, timeout):
                return await self._in_thread(exchange, lambda: exchange.read(timeout))
            case Pause(seconds):
                return await asyncio.sleep(seconds)
            case Call(function, argument):
                result = function(argument)
                return await result if inspect.isawaitable(result) else result
        raise TypeError(command)

    async def _in_thread(self, exchange: Exchange, work: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        except asyncio.CancelledError:
            exchange.abort()
            raise
