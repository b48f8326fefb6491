"""The blocking client."""

from __future__ import annotations

import os
import ssl
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, TypeVar, overload

from ._drivers import BlockingDriver
from ._operations import Core, ErrandResult
from ._protocol import RetryPolicy
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

DEFAULT_TIMEOUT_SECONDS = 60.0
DEFAULT_MAX_RETRIES = 4


def make_core(
    *,
    base_url: str,
    application_id: str,
    access_token: str | None,
    client_secret: str | None,
    redirect_uri: str | None,
    timeout: float,
    max_retries: int,
) -> Core:
    if not base_url.startswith(("http://", "https://")):
        raise ValueError(f"base_url must be a URL such as https://errand.example.com, not {base_url!r}.")
    if not application_id:
        raise ValueError("application_id is missing: it is the client ID that `errand app create` prints.")
    retries = RetryPolicy(max_retries)
    return Core(
        base_url.rstrip("/"), application_id, access_token or None, client_secret, redirect_uri, timeout, retries
    )


def make_tls(base_url: str, given: ssl.SSLContext | None) -> ssl.SSLContext | None:
    """One context for all requests: reading the certificates takes long."""
    return given or (ssl.create_default_context() if base_url.startswith("https:") else None)


class Errand:
    """A client of an Errand service for one application and, with an access token, one of its users.

    `base_url`: the URL of the service, such as `https://errand.example.com`.
    `application_id`: also the application's OAuth client ID.
    `access_token`: of one user's connection. Everything but `oauth` needs it; see also `with_access_token`.
    `client_secret`: of a confidential application.
    `redirect_uri`: where users come back to. With it, errors have the link for users who must connect again.
    `timeout`: how long the service may be silent, in seconds.
    `max_retries`: how often a request is repeated after 429, 503 or a network failure.

    Several threads can use one client.
    """

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
        self._begin(core, BlockingDriver(make_tls(core.base_url, ssl_context)))

    def _begin(self, core: Core, driver: BlockingDriver) -> None:
        self._core, self._driver = core, driver
        self.executions = Executions(core, driver)
        self.interactions = Interactions(core, driver)
        self.artifacts = Artifacts(core, driver)
        self.connection = Connections(core, driver)
        self.oauth = OAuth(core, driver)

    def with_access_token(self, access_token: str) -> Errand:
        """The same client for another user."""
        other = Errand.__new__(Errand)
        other._begin(replace(self._core, access_token=access_token), self._driver)
        return other


class Resource:
    def __init__(self, core: Core, driver: BlockingDriver) -> None:
        self._core = core
        self._driver = driver


class Executions(Resource):
    """Errands, one by one."""

    def create(
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
        return self._driver.run(operation)

    def get(self, execution_id: str, *, wait: int = 0) -> Execution:
        """The execution; with `wait`, as soon as it has ended, or after this many seconds (at most 30)."""
        return self._driver.run(self._core.get(execution_id, wait))

    def list(
        self, *, status: Status | None = None, page_size: int = 50, after: str | None = None
    ) -> Iterator[Execution]:
        """All executions of the connection, newest first. Pages are requested when they are needed."""
        return self._driver.iterate(self._core.list_executions(status, page_size, after))

    def cancel(self, execution_id: str) -> Execution:
        """Ends a queued execution, and asks a running one to stop."""
        return self._driver.run(self._core.cancel(execution_id))

    def events(self, execution_id: str, *, after: int = 0) -> Iterator[ExecutionEvent]:
        """The events of an execution as they happen, to the last one. A broken connection is resumed where it broke."""
        return self._driver.iterate(self._core.events(execution_id, after))

    @overload
    def wait(
        self,
        execution_id: str,
        *,
        output: type[T],
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[T]: ...

    @overload
    def wait(
        self,
        execution_id: str,
        *,
        output: Any = None,
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]: ...

    def wait(
        self,
        execution_id: str,
        *,
        output: Any = None,
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
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
        return self._driver.run(operation)

    @overload
    def create_and_wait(
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
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[T]: ...

    @overload
    def create_and_wait(
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
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]: ...

    def create_and_wait(
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
        on_step: Callable[[StepEvent], object] | None = None,
        on_interaction: Callable[[Interaction], Answer | None] | None = None,
        timeout: float | None = None,
    ) -> ErrandResult[Any]:
        """Runs an errand and returns its verified result. Raises ExecutionFailed if there is none.

        `output`: a Pydantic model, a dataclass, a TypedDict or a JSON Schema for the data to extract.
        `on_interaction`: called when a person is wanted. What it returns is the answer, for example
        `{"action": "approve"}`; with None somebody else has to answer, for example on `interaction["link"]`.
        `timeout`: seconds, after which WaitTimedOut is raised; the execution goes on.
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
        return self._driver.run(operation)

    def evidence(self, execution_id: str) -> EvidenceResponse:
        """What an execution that has ended visited and changed, the verdict, and its artifacts."""
        return self._driver.run(self._core.evidence(execution_id))

    def live(self, execution_id: str) -> LiveLink:
        """A link on which anyone can watch the running execution. Open it within 15 minutes."""
        return self._driver.run(self._core.live(execution_id))


class Interactions(Resource):
    """What an execution wants of a person."""

    def get(self, execution_id: str) -> Interaction | None:
        """What the execution waits for, or None."""
        return self._driver.run(self._core.interaction(execution_id))

    def answer(
        self, execution_id: str, interaction_id: str, action: Action, *, text: str | None = None
    ) -> Interaction:
        """The first answer is final. Raises InteractionEnded if somebody was faster."""
        return self._driver.run(self._core.answer(execution_id, interaction_id, action, text))


class Artifacts(Resource):
    """Screenshots, pages, requests and downloads that were kept as evidence."""

    def list(self, execution_id: str) -> list[Artifact]:
        return self._driver.run(self._core.artifacts(execution_id))

    @overload
    def download(self, execution_id: str, artifact_id: str) -> bytes: ...

    @overload
    def download(self, execution_id: str, artifact_id: str, to: str | os.PathLike[str]) -> Path: ...

    def download(
        self, execution_id: str, artifact_id: str, to: str | os.PathLike[str] | None = None
    ) -> bytes | Path:
        """The content, or, with `to`, the file that it was written to."""
        content = self._driver.run(self._core.artifact(execution_id, artifact_id))
        return content if to is None else write_file(to, content)


class Connections(Resource):
    """The connection of the access token."""

    def get(self) -> Connection:
        """Its state, and what an errand costs."""
        return self._driver.run(self._core.connection())


class OAuth(Resource):
    """How users connect: the authorization code flow with PKCE."""

    def authorization_url(
        self, *, redirect_uri: str | None = None, state: str | None = None, login_hint: str | None = None
    ) -> AuthorizationRequest:
        """The link on which the user signs in and consents. Also when they have to connect again."""
        return self._core.authorization_url(redirect_uri, state, login_hint)

    def exchange(
        self, callback_url: str, *, state: str, code_verifier: str, redirect_uri: str | None = None
    ) -> TokenResponse:
        """The user's access token, for the URL that the user came back to. Raises OAuthError if the user refused.

        The token does not expire; a new one for the same user revokes it.
        """
        return self._driver.run(self._core.exchange(callback_url, state, code_verifier, redirect_uri))

    def revoke(self, token: str) -> None:
        """Makes a token useless. Succeeds also if it was already. The connection and its history stay."""
        self._driver.run(self._core.revoke(token))


def write_file(to: str | os.PathLike[str], content: bytes) -> Path:
    path = Path(to)
    path.write_bytes(content)
    return path
