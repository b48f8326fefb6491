"""The client for asyncio. It has the methods of the blocking one, as coroutines and asynchronous iterators."""

from __future__ import annotations

import asyncio
import os
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, Callable, Mapping, TypeVar, overload

from ._drivers import AsyncDriver
from ._operations import Core, ErrandResult
from .client import DEFAULT_MAX_RETRIES, DEFAULT_TIMEOUT_SECONDS, make_core, make_tls, write_file
from .oauth import AuthorizationRequest
from .output import make_output
from .types import (
    Action,
    Answer,
    Approval,
    Artifact,
    Connection,
    EvidenceResponse,
    Execution,
    ExecutionEvent,
    Interaction,
    LiveLink,
    Status,
    StepEvent,
    TokenResponse,
)

T = TypeVar("T")

OnStep = Callable[[StepEvent], "Awaitable[object] | object"]
OnInteraction = Callable[[Interaction], "Awaitable[Answer | None] | Answer | None"]


class AsyncErrand:
    """As `Errand`, for asyncio. Use it as `async with AsyncErrand(…) as client`, or call `close`."""

    def __init__(
        self,
        base_url: str,
        application_id: str,
        access_token: str | None = None,
        *,
        client_secret: str | None = None,
        redirect_uri: str | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        max_retries: int = DEFAULT_MAX_RETRIES,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        core = make_core(
            base_url=base_url,
            application_id=application_id,
            access_token=access_token,
            client_secret=client_secret,
            redirect_uri=redirect_uri,
            timeout=timeout,
            max_retries=max_retries,
        )
        self._begin(core, AsyncDriver(make_tls(core.base_url, ssl_context)))

    def _begin(self, core: Core, driver: AsyncDriver) -> None:
        self._core, self._driver = core, driver
        self.executions = AsyncExecutions(core, driver)
        self.interactions = AsyncInteractions(core, driver)
        self.artifacts = AsyncArtifacts(core, driver)
        self.connection = AsyncConnections(core, driver)
        self.oauth = AsyncOAuth(core, driver)

    def with_access_token(self, access_token: str) -> AsyncErrand:
        """The same client for another user. It ends with the one it was made from."""
        other = AsyncErrand.__new__(AsyncErrand)
        other._begin(replace(self._core, access_token=access_token), self._driver)
        return other

    async def close(self) -> None:
        self._driver.close()

    async def __aenter__(self) -> AsyncErrand:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncResource:
    def __init__(self, core: Core, driver: AsyncDriver) -> None:
        self._core = core
        self._driver = driver


class AsyncExecutions(AsyncResource):
    """Errands, one by one."""

    async def create(
        self,
        prompt: str,
        *,
        start_url: str | None = None,
        output: Any = None,
        approval: Approval | None = None,
        metadata: Mapping[str, str] | None = None,
        recipe: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Execution:
        """Queues an errand and returns at once. A retry never starts a second one."""
        operation = self._core.create(
            prompt,
            start_url=start_url,
            output=make_output(output),
            approval=approval,
            metadata=metadata,
            recipe=recipe,
            variables=variables,
            idempotency_key=idempotency_key,
        )
        return await self._driver.run(operation)

    async def get(self, execution_id: str, *, wait: int = 0) -> Execution:
        """The execution; with `wait`, as soon as it has ended, or after this many seconds (at most 30)."""
        return await self._driver.run(self._core.get(execution_id, wait))

    def list(
        self, *, status: Status | None = None, page_size: int = 50, after: str | None = None
    ) -> AsyncIterator[Execution]:
        """All executions of the connection, newest first. Pages are requested when they are needed."""
        return self._driver.iterate(self._core.list_executions(status, page_size, after))

    async def cancel(self, execution_id: str) -> Execution:
        """Ends a queued execution, and asks a running one to stop."""
        return await self._driver.run(self._core.cancel(execution_id))

    def events(self, execution_id: str, *, after: int = 0) -> AsyncIterator[ExecutionEvent]:
        """The events of an execution as they happen, to the last one. A broken connection is resumed where it broke."""
        return self._driver.iterate(self._core.events(execution_id, after))

    @overload
    async def wait(
        self,
        execution_id: str,
        *,
        output: type[T],
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[T]: ...

    @overload
    async def wait(
        self,
        execution_id: str,
        *,
        output: Any = None,
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]: ...

    async def wait(
        self,
        execution_id: str,
        *,
        output: Any = None,
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]:
        """Waits for an execution, as `create_and_wait` does."""
        operation = self._core.wait(
            execution_id,
            output=make_output(output),
            on_step=on_step,
            on_interaction=on_interaction,
            timeout=timeout,
        )
        return await self._driver.run(operation)

    @overload
    async def create_and_wait(
        self,
        prompt: str,
        *,
        output: type[T],
        start_url: str | None = None,
        approval: Approval | None = None,
        metadata: Mapping[str, str] | None = None,
        recipe: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[T]: ...

    @overload
    async def create_and_wait(
        self,
        prompt: str,
        *,
        output: Any = None,
        start_url: str | None = None,
        approval: Approval | None = None,
        metadata: Mapping[str, str] | None = None,
        recipe: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]: ...

    async def create_and_wait(
        self,
        prompt: str,
        *,
        output: Any = None,
        start_url: str | None = None,
        approval: Approval | None = None,
        metadata: Mapping[str, str] | None = None,
        recipe: str | None = None,
        variables: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
        on_step: OnStep | None = None,
        on_interaction: OnInteraction | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]:
        """Runs an errand and returns its verified result. Raises ExecutionFailed if there is none.

        See `Executions.create_and_wait`. The functions can be coroutine functions.
        """
        operation = self._core.create_and_wait(
            prompt,
            output=make_output(output),
            start_url=start_url,
            approval=approval,
            metadata=metadata,
            recipe=recipe,
            variables=variables,
            idempotency_key=idempotency_key,
            on_step=on_step,
            on_interaction=on_interaction,
            timeout=timeout,
        )
        return await self._driver.run(operation)

    async def evidence(self, execution_id: str) -> EvidenceResponse:
        """What an execution that has ended visited and changed, the verdict, and its artifacts."""
        return await self._driver.run(self._core.evidence(execution_id))

    async def live(self, execution_id: str) -> LiveLink:
        """A link on which anyone can watch the running execution. Open it within 15 minutes."""
        return await self._driver.run(self._core.live(execution_id))


class AsyncInteractions(AsyncResource):
    """What an execution wants of a person."""

    async def get(self, execution_id: str) -> Interaction | None:
        """What the execution waits for, or None."""
        return await self._driver.run(self._core.interaction(execution_id))

    async def answer(
        self, execution_id: str, interaction_id: str, action: Action, *, text: str | None = None
    ) -> Interaction:
        """The first answer is final. Raises InteractionEnded if somebody was faster."""
        return await self._driver.run(self._core.answer(execution_id, interaction_id, action, text))


class AsyncArtifacts(AsyncResource):
    """Screenshots, pages, requests and downloads that were kept as evidence."""

    async def list(self, execution_id: str) -> list[Artifact]:
        return await self._driver.run(self._core.artifacts(execution_id))

    @overload
    async def download(self, execution_id: str, artifact_id: str) -> bytes: ...

    @overload
    async def download(self, execution_id: str, artifact_id: str, to: str | os.PathLike[str]) -> Path: ...

    async def download(
        self, execution_id: str, artifact_id: str, to: str | os.PathLike[str] | None = None
    ) -> bytes | Path:
        """The content, or, with `to`, the file that it was written to."""
        content = await self._driver.run(self._core.artifact(execution_id, artifact_id))
        return content if to is None else await asyncio.to_thread(write_file, to, content)


class AsyncConnections(AsyncResource):
    """The connection of the access token."""

    async def get(self) -> Connection:
        """Its state, and what an errand costs."""
        return await self._driver.run(self._core.connection())


class AsyncOAuth(AsyncResource):
    """How users connect: the authorization code flow with PKCE."""

    def authorization_url(
        self, *, redirect_uri: str | None = None, state: str | None = None, login_hint: str | None = None
    ) -> AuthorizationRequest:
        """The link on which the user signs in and consents. Also when they have to connect again."""
        return self._core.authorization_url(redirect_uri, state, login_hint)

    async def exchange(
        self, callback_url: str, *, state: str, code_verifier: str, redirect_uri: str | None = None
    ) -> TokenResponse:
        """The user's access token, for the URL that the user came back to. Raises OAuthError if the user refused.

        The token does not expire; a new one for the same user revokes it.
        """
        return await self._driver.run(self._core.exchange(callback_url, state, code_verifier, redirect_uri))

    async def revoke(self, token: str) -> None:
        """Makes a token useless. Succeeds also if it was already. The connection and its history stay."""
        await self._driver.run(self._core.revoke(token))
