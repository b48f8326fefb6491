"""The objects of the API, as typed dictionaries: what the service sends is passed on unchanged.

`Execution`, `ExecutionEvent` and `WebhookMessage` are unions: comparing `status` or `type` tells a type checker which one it is.
"""

from typing import Literal, TypedDict

from ._api import (
    Artifact,
    CompletedExecution,
    Connection,
    Execution,
    ExecutionEvent,
    FailedExecution,
    Interaction,
    SideEffect,
    StepEvent,
    WebhookMessage,
)
from ._api import CreateExecutionLiveLinkResponse as LiveLink
from ._api import ExchangeCodeResponse as TokenResponse
from ._api import ExecutionResultEvidence as Evidence
from ._api import GetExecutionEvidenceResponse as EvidenceResponse
from ._api import GetExecutionEvidenceResponseEvidence as ExecutionEvidence

Status = Literal["QUEUED", "RUNNING", "COMPLETED", "FAILED"]
Approval = Literal["never", "commits"]
Action = Literal["approve", "decline", "answer", "hand_back"]


class _AnswerRequired(TypedDict):
    action: Action


class Answer(_AnswerRequired, total=False):
    """What `on_interaction` may return, to answer at once."""

    text: str


__all__ = [
    "Action",
    "Answer",
    "Approval",
    "Artifact",
    "CompletedExecution",
    "Connection",
    "Evidence",
    "EvidenceResponse",
    "Execution",
    "ExecutionEvent",
    "ExecutionEvidence",
    "FailedExecution",
    "Interaction",
    "LiveLink",
    "SideEffect",
    "Status",
    "StepEvent",
    "TokenResponse",
    "WebhookMessage",
]
