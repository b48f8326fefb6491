"""Every call of the API as an operation: see `_protocol.py`."""

from __future__ import annotations

import base64
import json
import uuid
from dataclasses import dataclass, replace
from typing import Any, Callable, Generic, Mapping, TypeVar
from urllib.parse import quote_plus, urlencode

from ._events import Deadline, EventStream
from ._protocol import (
    Call,
    Emit,
    Iteration,
    Operation,
    Pause,
    Request,
    Response,
    RetryPolicy,
    Send,
    segment,
    send,
)
from ._version import VERSION
from .errors import (
    ErrandError,
    ExecutionFailed,
    InteractionEnded,
    OutputInvalid,
    ReauthorizationRequired,
    Unauthenticated,
)
from .oauth import AuthorizationRequest, make_authorization, read_callback
from .output import Output
from .types import (
    Artifact,
    CompletedExecution,
    Connection,
    Evidence,
    EvidenceResponse,
    Execution,
    ExecutionEvent,
    FailedExecution,
    Interaction,
    LiveLink,
    StepEvent,
    TokenResponse,
)

T = TypeVar("T")

#: The service answers a waiting `get` after 30 seconds at the latest.
LONGEST_WAIT_SECONDS = 25


@dataclass(frozen=True)
class ErrandResult(Generic[T]):
    """A verified result."""

    execution: CompletedExecution
    #: The data for `output`: an instance of the class that was passed, or plain JSON for a JSON Schema.
    extracted: T

    @property
    def id(self) -> str:
        return self.execution["id"]

    @property
    def final_text(self) -> str:
        """The result in words."""
        return self.execution["result"]["final_text"]

    @property
    def final_url(self) -> str:
        return self.execution["result"]["final_url"]

    @property
    def evidence(self) -> Evidence:
        """Visited URLs, the verifier's verdict and every side effect."""
        return self.execution["result"]["evidence"]


@dataclass(frozen=True)
class Core:
    base_url: str
    application_id: str
    access_token: str | None
    client_secret: str | None
    redirect_uri: str | None
    timeout: float
    retries: RetryPolicy

    # Executions

    def create(
        self,
        prompt: str,
        *,
        start_url: str | None,
        output: Output[Any] | None,
        approval: str | None,
        metadata: Mapping[str, str] | None,
        recipe: str | None,
        variables: Mapping[str, str] | None,
        idempotency_key: str | None,
    ) -> Operation[Execution]:
        given = {
            "prompt": prompt,
            "start_url": start_url,
            "output_schema": None if output is None else output.schema,
            "approval": approval,
            "metadata": None if metadata is None else dict(metadata),
            "recipe": recipe,
            "variables": None if variables is None else dict(variables),
        }
        body = {name: value for name, value in given.items() if value is not None}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._json("POST", "/executions", body, headers=headers, key="execution")

    def get(self, execution_id: str, wait: int = 0) -> Operation[Execution]:
        request = self.request("GET", f"/executions/{segment(execution_id)}", query={"wait": wait} if wait > 0 else {})
        return self._read_json(replace(request, timeout=self.timeout + wait), "execution")

    def list_executions(self, status: str | None, page_size: int, after: str | None) -> Iteration[Execution]:
        while True:
            given = {"limit": page_size, "status": status, "after": after}
            query = {name: value for name, value in given.items() if value is not None}
            page = yield from self._json("GET", "/executions", query=query)
            for execution in page["executions"]:
                yield Emit(execution)
            if not page["has_more"] or not page["executions"]:
                return
            after = page["executions"][-1]["id"]

    def cancel(self, execution_id: str) -> Operation[Execution]:
        return self._json("POST", f"/executions/{segment(execution_id)}/cancel", key="execution")

    def events(self, execution_id: str, after: int) -> Iteration[ExecutionEvent]:
        stream = EventStream(self, execution_id, after)
        try:
            while (event := (yield from stream.next())) is not None:
                yield Emit(event)
        finally:
            stream.close()

    def create_and_wait(
        self,
        prompt: str,
        *,
        output: Output[T],
        on_step: Callable[[StepEvent], Any] | None,
        on_interaction: Callable[[Interaction], Any] | None,
        timeout: float | None,
        **given: Any,
    ) -> Operation[ErrandResult[T]]:
        execution_id = (yield from self.create(prompt, output=output, **given))["id"]
        return (
            yield from self.wait(
                execution_id, output=output, on_step=on_step, on_interaction=on_interaction, timeout=timeout
            )
        )

    def wait(
        self,
        execution_id: str,
        *,
        output: Output[T],
        on_step: Callable[[StepEvent], Any] | None,
        on_interaction: Callable[[Interaction], Any] | None,
        timeout: float | None,
    ) -> Operation[ErrandResult[T]]:
        deadline = Deadline(execution_id, timeout)
        try:
            if on_step is not None or on_interaction is not None:
                yield from self._follow(execution_id, on_step, on_interaction, deadline)
            execution = yield from self._wait_for_end(execution_id, deadline)
            return (yield from self._conclude(execution, output))
        except ErrandError as error:
            error.execution_id = execution_id
            raise

    def _wait_for_end(
        self, execution_id: str, deadline: Deadline
    ) -> Operation[CompletedExecution | FailedExecution]:
        while True:
            seconds = int(deadline.within(LONGEST_WAIT_SECONDS))
            execution = yield from self.get(execution_id, seconds)
            if execution["status"] == "COMPLETED" or execution["status"] == "FAILED":
                return execution
            deadline.check()
            if seconds == 0:
                yield Pause(deadline.within(1.0))

    def _conclude(
        self, execution: CompletedExecution | FailedExecution, output: Output[T]
    ) -> Operation[ErrandResult[T]]:
        if execution["status"] == "FAILED":
            raise (yield from self._to_failure(execution))
        try:
            return ErrandResult(execution, output.read(execution["result"]["extracted"]))
        except Exception as error:
            raise OutputInvalid(execution, error) from error

    def _to_failure(self, execution: FailedExecution) -> Operation[ExecutionFailed]:
        try:
            kept = yield from self.evidence(execution["id"])
            failed = ExecutionFailed(execution, kept["evidence"], kept["artifacts"])
        except ErrandError:
            failed = ExecutionFailed(execution, None)
        if failed.terminal["status"] == "reauthorization_required":
            failed.authorization = self._find_authorization()
        return failed

    def _follow(
        self,
        execution_id: str,
        on_step: Callable[[StepEvent], Any] | None,
        on_interaction: Callable[[Interaction], Any] | None,
        deadline: Deadline,
    ) -> Operation[None]:
        answered: set[str] = set()
        stream = EventStream(self, execution_id, 0, deadline)
        try:
            while (event := (yield from stream.next())) is not None:
                if event["type"] == "step" and on_step is not None:
                    yield Call(on_step, event)
                if event["type"] == "interaction" and on_interaction is not None:
                    yield from self._ask(execution_id, on_interaction, answered)
        finally:
            stream.close()

    def _ask(
        self, execution_id: str, on_interaction: Callable[[Interaction], Any], answered: set[str]
    ) -> Operation[None]:
        """Lets the caller answer what the execution asks now. The event itself may be an old one."""
        interaction = yield from self.interaction(execution_id)
        if interaction is None or interaction["id"] in answered:
            return
        answered.add(interaction["id"])
        reply = yield Call(on_interaction, interaction)
        if reply is None:
            return
        try:
            yield from self.answer(execution_id, interaction["id"], reply["action"], reply.get("text"))
        except InteractionEnded:
            # Somebody was faster, or it has expired. The events say how it went on.
            pass

    # What belongs to an execution

    def evidence(self, execution_id: str) -> Operation[EvidenceResponse]:
        return self._json("GET", f"/executions/{segment(execution_id)}/evidence")

    def interaction(self, execution_id: str) -> Operation[Interaction | None]:
        return self._json("GET", f"/executions/{segment(execution_id)}/interaction", key="interaction")

    def answer(self, execution_id: str, interaction_id: str, action: str, text: str | None) -> Operation[Interaction]:
        body = {"id": interaction_id, "action": action, **({} if text is None else {"text": text})}
        path = f"/executions/{segment(execution_id)}/interaction"
        # Not repeatable: the second of two equal answers is rejected.
        return self._json("POST", path, body, repeatable=False, key="interaction")

    def live(self, execution_id: str) -> Operation[LiveLink]:
        return self._json("POST", f"/executions/{segment(execution_id)}/live")

    def artifacts(self, execution_id: str) -> Operation[list[Artifact]]:
        return self._json("GET", f"/executions/{segment(execution_id)}/artifacts", key="artifacts")

    def artifact(self, execution_id: str, artifact_id: str) -> Operation[bytes]:
        path = f"/executions/{segment(execution_id)}/artifacts/{segment(artifact_id)}"
        return (yield from self._send(self.request("GET", path))).content

    def connection(self) -> Operation[Connection]:
        request = replace(self.request("GET", ""), url=f"{self.base_url}/v1/connection")
        return self._read_json(request, "connection")

    # OAuth

    def authorization_url(
        self, redirect_uri: str | None, state: str | None, login_hint: str | None
    ) -> AuthorizationRequest:
        return make_authorization(
            self.base_url, self.application_id, self._redirect_uri(redirect_uri), state, login_hint
        )

    def exchange(
        self, callback_url: str, state: str, code_verifier: str, redirect_uri: str | None
    ) -> Operation[TokenResponse]:
        form = {
            "grant_type": "authorization_code",
            "code": read_callback(callback_url, state),
            "redirect_uri": self._redirect_uri(redirect_uri),
            "code_verifier": code_verifier,
        }
        # Not repeatable: a code that is used twice also revokes the token of its first use.
        token: TokenResponse = (yield from self._form("/v1/oauth/token", form, repeatable=False)).json()
        return token

    def _redirect_uri(self, given: str | None) -> str:
        redirect_uri = given or self.redirect_uri
        if redirect_uri is None:
            raise TypeError("Pass redirect_uri here, or to the client.")
        return redirect_uri

    def _find_authorization(self) -> AuthorizationRequest | None:
        return None if self.redirect_uri is None else self.authorization_url(None, None, None)

    def revoke(self, token: str) -> Operation[None]:
        yield from self._form("/v1/oauth/revoke", {"token": token}, repeatable=True)

    def _form(self, path: str, form: dict[str, str], *, repeatable: bool) -> Operation[Response]:
        headers = {**COMMON_HEADERS, "Content-Type": "application/x-www-form-urlencoded"}
        if self.client_secret is None:
            form = {**form, "client_id": self.application_id}
        else:
            # RFC 6749 §2.3.1: both are form-encoded before they are joined.
            pair = f"{quote_plus(self.application_id)}:{quote_plus(self.client_secret)}"
            headers["Authorization"] = f"Basic {base64.b64encode(pair.encode()).decode()}"
        body = urlencode(form).encode()
        request = Request("POST", f"{self.base_url}{path}", headers, body, repeatable, self.timeout)
        return (yield from send(Send(request), self.retries))

    # Requests

    def _json(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
        repeatable: bool = True,
        key: str | None = None,
    ) -> Operation[Any]:
        """What the response has under this key, or all of it."""
        request = self.request(method, path, query=query, headers=headers)
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode()
            typed = {**request.headers, "Content-Type": "application/json"}
            request = replace(request, body=content, headers=typed)
        return self._read_json(replace(request, repeatable=repeatable), key)

    def _read_json(self, request: Request, key: str | None) -> Operation[Any]:
        body = (yield from self._send(request)).json()
        return body if key is None else body[key]

    def _send(self, request: Request) -> Operation[Response]:
        try:
            return (yield from send(Send(request), self.retries))
        except (Unauthenticated, ReauthorizationRequired) as error:
            error.authorization = self._find_authorization()
            raise

    def request(
        self, method: str, path: str, *, query: Mapping[str, Any] = {}, headers: Mapping[str, str] = {}
    ) -> Request:
        if self.access_token is None:
            raise ErrandError(
                "This call needs the token of a connection: pass access_token, or use client.with_access_token(token)."
            )
        url = f"{self.base_url}/v1/applications/{segment(self.application_id)}{path}"
        if query:
            url += f"?{urlencode(query)}"
        authorization = {"Authorization": f"Bearer {self.access_token}"}
        return Request(method, url, {**COMMON_HEADERS, **authorization, **headers}, timeout=self.timeout)


COMMON_HEADERS = {"Accept": "application/json", "User-Agent": f"errand-python/{VERSION}"}
