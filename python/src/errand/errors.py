"""Everything that this package raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    from .oauth import AuthorizationRequest
    from .types import Artifact, CompletedExecution, ExecutionEvidence, FailedExecution


class ErrandError(Exception):
    """The base class of all errors of this package."""

    #: Set when the user has to connect again, if the client knows its `redirect_uri`: send the user to its `url`.
    authorization: AuthorizationRequest | None = None
    #: The execution that `create_and_wait` had created before this went wrong.
    execution_id: str | None = None


class ConnectionFailed(ErrandError):
    """The service could not be reached, or the connection broke."""

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        #: Whether the service may have got the request.
        self.sent = sent


class RequestTimedOut(ConnectionFailed):
    """The service did not respond within `timeout`."""


class WebhookVerificationFailed(ErrandError):
    """The message is not from Errand, was changed, or is too old. Respond with 400."""


class WaitTimedOut(ErrandError, TimeoutError):
    """The execution had not ended in time. It goes on: wait for it again, or cancel it."""

    def __init__(self, execution_id: str, seconds: float) -> None:
        super().__init__(
            f"The execution {execution_id} had not ended after {seconds:g} seconds. It goes on: "
            "wait for it with executions.wait(), or end it with executions.cancel()."
        )
        self.execution_id = execution_id


class OutputInvalid(ErrandError):
    """The result fits the JSON Schema, but not the class that was passed as `output`, which may ask for more."""

    def __init__(self, execution: CompletedExecution, cause: Exception) -> None:
        super().__init__(f"The result does not fit the output class: {cause}")
        self.execution = execution


class ExecutionFailed(ErrandError):
    """The execution ended without a verified result. Nothing was charged."""

    def __init__(
        self, execution: FailedExecution, evidence: ExecutionEvidence | None, artifacts: Sequence[Artifact] = ()
    ) -> None:
        super().__init__(f"{execution['error']['code']}: {execution['error']['message']}")
        self.execution = execution
        #: Why it failed: `terminal["status"]` is one of a fixed list, `terminal["reason"]` a sentence.
        self.terminal = execution["terminal"]
        #: `error["message"]` says what to do next.
        self.error = execution["error"]
        #: What it visited and changed before it failed; None if that could not be read.
        self.evidence = evidence
        #: Screenshots and other files.
        self.artifacts = artifacts


class OAuthError(ErrandError):
    """An error of the OAuth endpoints, or of the redirect back to the application. `code` is one of RFC 6749."""

    def __init__(self, code: str, description: str, status: int | None = None) -> None:
        super().__init__(f"{code}: {description}")
        self.code = code
        self.status = status


@dataclass(frozen=True)
class ErrorResponse:
    status: int
    code: str
    message: str
    details: Sequence[Mapping[str, str]]
    request_id: str | None
    retry_after: float | None


class ApiError(ErrandError):
    """The service rejected the request. `code` is stable; there is a class for each code that an application can handle."""

    def __init__(self, response: ErrorResponse) -> None:
        super().__init__(f"{response.code}: {response.message}")
        self.status = response.status
        self.code = response.code
        self.message = response.message
        #: Each problem of the request, as `{"path", "message"}`.
        self.details = response.details
        #: Name it when you report a problem.
        self.request_id = response.request_id
        #: Seconds, from `Retry-After`.
        self.retry_after = response.retry_after


class InvalidRequest(ApiError):
    """The request is wrong; `details` says where."""


class InvalidCursor(InvalidRequest):
    """`after` is not the id of an execution of this connection."""


class Unauthenticated(ApiError):
    """The access token is wrong or was revoked: the user has to connect again. See `authorization`."""


class InsufficientCredits(ApiError):
    """The owner of the application has no credits left."""


class Forbidden(ApiError):
    """This is not allowed."""


class ApplicationMismatch(Forbidden):
    """The access token belongs to another application."""


class NotFound(ApiError):
    """There is nothing there."""


class ExecutionNotFound(NotFound):
    """There is no such execution on this connection."""


class IdempotencyKeyReused(ApiError):
    """The idempotency key was used before, for another request."""


class ReauthorizationRequired(ApiError):
    """The user has to sign in again before anything runs for them. See `authorization`."""


class ExecutionFinished(ApiError):
    """The execution has already ended."""


class ExecutionNotFinished(ApiError):
    """The execution has not ended yet."""


class InteractionEnded(ApiError):
    """Somebody else answered first, or the time is over."""


class Gone(ApiError):
    """The file was deleted by the retention period."""


class PayloadTooLarge(ApiError):
    """The request is too large."""


class RateLimited(ApiError):
    """Too many requests, even after the retries."""


class InternalError(ApiError):
    """A bug in the service. `request_id` finds it in its log."""


class Unavailable(ApiError):
    """The service is overloaded or restarting, even after the retries."""


BY_CODE: Mapping[str, type[ApiError]] = {
    "INVALID_REQUEST": InvalidRequest,
    "INVALID_CURSOR": InvalidCursor,
    "UNAUTHENTICATED": Unauthenticated,
    "INSUFFICIENT_CREDITS": InsufficientCredits,
    "FORBIDDEN": Forbidden,
    "APPLICATION_MISMATCH": ApplicationMismatch,
    "NOT_FOUND": NotFound,
    "EXECUTION_NOT_FOUND": ExecutionNotFound,
    "IDEMPOTENCY_KEY_REUSED": IdempotencyKeyReused,
    "CONNECTION_REAUTHORIZATION_REQUIRED": ReauthorizationRequired,
    "EXECUTION_FINISHED": ExecutionFinished,
    "EXECUTION_NOT_FINISHED": ExecutionNotFinished,
    "INTERACTION_ENDED": InteractionEnded,
    "GONE": Gone,
    "PAYLOAD_TOO_LARGE": PayloadTooLarge,
    "RATE_LIMITED": RateLimited,
    "INTERNAL": InternalError,
    "UNAVAILABLE": Unavailable,
}
#: For responses that are not Errand's, such as those of a proxy.
BY_STATUS: Mapping[int, type[ApiError]] = {429: RateLimited, 503: Unavailable}


def to_error(status: int, body: Any, request_id: str | None, retry_after: float | None) -> ErrandError:
    """The error of a response with status 400 or above, also if a proxy answered instead of the service."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, str):
        return OAuthError(error, str(body.get("error_description") or "The service gave no description."), status)
    found: dict[str, Any] = error if isinstance(error, dict) else {}
    response = ErrorResponse(
        status,
        code=str(found.get("code") or f"HTTP_{status}"),
        message=str(found.get("message") or f"The service responded with {status}."),
        details=found.get("details") or [],
        request_id=found.get("request_id") or request_id,
        retry_after=retry_after,
    )
    return (BY_CODE.get(response.code) or BY_STATUS.get(status) or ApiError)(response)
