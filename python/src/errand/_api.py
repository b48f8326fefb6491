"""The objects of the API. Generated from docs/openapi.json by scripts/generate-python-types.ts. Do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class QueuedExecution(TypedDict):
    """It waits for a worker."""

    id: str
    status: Literal["QUEUED"]
    """`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final."""
    prompt: str
    """The prompt as it was sent."""
    start_url: Union[str, None]
    """The URL where the execution starts."""
    output_schema: Union[Dict[str, Any], None]
    """The schema as it was sent."""
    usage: QueuedExecutionUsage
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    terminal: None
    """Null until the execution has ended."""
    result: None
    """Null unless the execution is `COMPLETED`."""
    error: None
    """Null unless the execution is `FAILED`."""
    completed_at: None
    """Null until the execution has ended."""


class QueuedExecutionUsage(TypedDict):
    credits: int
    """The price of this execution."""
    charged: bool
    """Whether credits were charged. Only verified results are."""


class RunningExecution(TypedDict):
    """A worker runs it."""

    id: str
    status: Literal["RUNNING"]
    """`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final."""
    prompt: str
    """The prompt as it was sent."""
    start_url: Union[str, None]
    """The URL where the execution starts."""
    output_schema: Union[Dict[str, Any], None]
    """The schema as it was sent."""
    usage: QueuedExecutionUsage
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    terminal: None
    """Null until the execution has ended."""
    result: None
    """Null unless the execution is `COMPLETED`."""
    error: None
    """Null unless the execution is `FAILED`."""
    completed_at: None
    """Null until the execution has ended."""


class CompletedExecution(TypedDict):
    """It has a verified result."""

    id: str
    status: Literal["COMPLETED"]
    """`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final."""
    prompt: str
    """The prompt as it was sent."""
    start_url: Union[str, None]
    """The URL where the execution starts."""
    output_schema: Union[Dict[str, Any], None]
    """The schema as it was sent."""
    usage: QueuedExecutionUsage
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    terminal: CompletedExecutionTerminal
    result: ExecutionResult
    error: None
    """Null unless the execution is `FAILED`."""
    completed_at: str
    """ISO 8601, UTC."""


class CompletedExecutionTerminal(TypedDict):
    status: Literal["verified"]
    reason: str
    """The outcome in a sentence."""


class FailedExecution(TypedDict):
    """It ended without a verified result. It may have changed something before: see its evidence."""

    id: str
    status: Literal["FAILED"]
    """`QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final."""
    prompt: str
    """The prompt as it was sent."""
    start_url: Union[str, None]
    """The URL where the execution starts."""
    output_schema: Union[Dict[str, Any], None]
    """The schema as it was sent."""
    usage: QueuedExecutionUsage
    created_at: str
    """ISO 8601, UTC."""
    updated_at: str
    """ISO 8601, UTC."""
    terminal: FailedExecutionTerminal
    result: None
    """Null unless the execution is `COMPLETED`."""
    error: FailedExecutionError
    completed_at: str
    """ISO 8601, UTC."""


class FailedExecutionTerminal(TypedDict):
    status: Literal["unverified", "goal_unreachable", "reauthorization_required", "blocked", "policy_violation", "output_schema_mismatch", "step_limit", "timed_out", "canceled", "approval_declined", "approval_expired", "interaction_expired", "site_error", "model_error", "unsupported_prompt", "worker_lost", "internal_error"]
    """Why it failed."""
    reason: str
    """The outcome in a sentence."""


class FailedExecutionError(TypedDict):
    code: Literal["UNVERIFIED", "GOAL_UNREACHABLE", "REAUTHORIZATION_REQUIRED", "BLOCKED", "POLICY_VIOLATION", "OUTPUT_SCHEMA_MISMATCH", "STEP_LIMIT", "TIMED_OUT", "CANCELED", "APPROVAL_DECLINED", "APPROVAL_EXPIRED", "INTERACTION_EXPIRED", "SITE_ERROR", "MODEL_ERROR", "UNSUPPORTED_PROMPT", "WORKER_LOST", "INTERNAL_ERROR", "UNPROVEN", "WOULD_REPEAT", "READ_ONLY", "TOKEN_LIMIT", "BROWSER_LOST", "SHUTTING_DOWN", "EVIDENCE_NOT_KEPT", "SIGN_IN_UNREADABLE", "NO_REPORT", "MODEL_UNREACHABLE", "MODEL_UNAUTHORIZED", "MODEL_REJECTED", "MODEL_RATE_LIMITED", "MODEL_OVERLOADED", "MODEL_TIMED_OUT", "MODEL_UNUSABLE", "SIGN_IN_NOT_SET_UP", "STUCK", "REFUSED_BY_SITE", "SITE_REFUSED", "COMMIT", "CONFIRMATION_NEEDED", "AMBIGUOUS", "NOT_FOUND", "TEXT_NOT_FOUND", "ANSWER_NOT_FOUND", "NOT_AS_EXPECTED", "LIST_NOT_FOUND", "COLUMN_NOT_FOUND", "ROW_NOT_FOUND", "UNKNOWN_ROWS", "PARTIAL_LIST", "TOO_MANY", "NOT_ACTIONABLE", "COVERED", "DISABLED", "DIALOG_OPEN", "INVALID_INPUT", "NO_EFFECT", "STALE", "TIMEOUT"]
    """The same as `terminal.status` in capitals, or a more specific one. New ones may be added."""
    message: str
    """What happened and what to do next."""


class ExecutionResult(TypedDict):
    final_text: str
    """The result in words."""
    final_url: str
    """The URL of the last page."""
    final_title: str
    """The title of the last page."""
    extracted: Any
    """The data for `output_schema`, or null."""
    evidence: ExecutionResultEvidence


class ExecutionResultEvidence(TypedDict):
    urls: List[str]
    """URLs visited or cited."""
    verifier: Verdict
    side_effects: List[SideEffect]
    """Everything the execution changed. Empty if it changed nothing."""


class _SideEffectRequired(TypedDict):
    type: str
    """The kind of effect: `request`, `form_submission`, `download`, …"""


class SideEffect(_SideEffectRequired, total=False):
    """A change that the execution made, or may have made, on a site."""

    description: str
    """What was done, in words: what, how much, for whom, and the site's reference."""


class Verdict(TypedDict):
    """What the independent verifier says."""

    agreed: bool
    """Whether the independent verifier agreed."""
    reason: str
    """Why it agreed or not."""


class ExecutionQueuedEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["execution.queued"]
    at: str
    """ISO 8601, UTC."""
    data: ExecutionQueuedEventData


class ExecutionQueuedEventData(TypedDict, total=False):
    metadata: Dict[str, str]
    """The `metadata` of the create request. Absent when there is none."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class ExecutionStartedEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["execution.started"]
    at: str
    """ISO 8601, UTC."""
    data: ExecutionStartedEventData


class ExecutionStartedEventData(TypedDict, total=False):
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class StepEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["step"]
    at: str
    """ISO 8601, UTC."""
    data: StepEventData


class _StepEventDataRequired(TypedDict):
    step: int
    """1, 2, 3, …"""
    action: str
    """What the agent did: `click`, `fill`, `goto`, …"""
    input: Dict[str, Any]
    """The input of the action. Secrets are masked."""
    why: str
    """Why, in a sentence."""
    outcome: Literal["ok", "failed"]
    message: Union[str, None]
    """Why it failed."""
    url: str
    """The page after it."""
    title: str
    """The title of that page."""
    side_effects: List[SideEffect]
    """Everything the execution changed. Empty if it changed nothing."""
    screenshot: Union[str, None]
    """The artifact's id."""
    mark: Union[StepEventDataMark, None]
    """Where the element was that was acted on, in pixels of the screenshot from before."""
    cost: Union[ModelCost, None]


class StepEventData(_StepEventDataRequired, total=False):
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class StepEventDataMark(TypedDict):
    """Where the element was that was acted on, in pixels of the screenshot from before."""

    x: float
    y: float
    width: float
    height: float
    screenshot: str
    """The artifact's id."""


class SignInEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["sign_in"]
    at: str
    """ISO 8601, UTC."""
    data: SignInEventData


class _SignInEventDataRequired(TypedDict):
    outcome: Literal["renewed", "failed"]
    """Whether Errand has signed in again with the stored credentials after the sign-in had expired."""


class SignInEventData(_SignInEventDataRequired, total=False):
    failure: str
    """Why it failed, such as `rejected` or `code_required`. Only when it failed."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class RecipeEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["recipe"]
    at: str
    """ISO 8601, UTC."""
    data: RecipeEventData


class _RecipeEventDataRequired(TypedDict):
    outcome: Literal["used", "replayed", "healed", "failed", "learned", "not_learned", "set_aside"]
    """`used`: the run follows a recipe. `replayed`: it did so to its end, without a model. `healed`: a model took over.
    `failed`: it could not be followed. `learned`: the run became a recipe, or the next version of one. `not_learned`:
    it cannot be repeated without a model, also reported where learning is off. `set_aside`: the recipe failed several
    times in a row and is not used any more."""


class RecipeEventData(_RecipeEventDataRequired, total=False):
    recipe_id: str
    version: int
    """The version of the recipe."""
    step: str
    """The step that could not be followed, in words. Absent when all steps were done."""
    reason: str
    """Why, in a sentence."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class InteractionEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["interaction"]
    at: str
    """ISO 8601, UTC."""
    data: InteractionEventData


class _InteractionEventDataRequired(TypedDict):
    interaction_id: str
    kind: Literal["approval", "question", "takeover"]
    state: Literal["open", "answered", "expired", "closed"]
    """`expired`: nobody answered in time. `closed`: the execution ended first."""


class InteractionEventData(_InteractionEventDataRequired, total=False):
    message: str
    """What is asked. Only when `state` is `open`."""
    url: str
    """The page that the run is on."""
    amount: Union[InteractionEventDataAmount, None]
    """The total, as the page states it."""
    expires_at: str
    """ISO 8601, UTC."""
    answer: Union[Literal["approved", "declined", "answered", "handed_back"], None]
    answered_by: Union[Literal["application", "link", "user", "owner"], None]
    """`link`: somebody who had the link and was not signed in."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class InteractionEventDataAmount(TypedDict):
    """The total, as the page states it."""

    value: float
    currency: str
    """ISO 4217."""


class VerificationEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["verification"]
    at: str
    """ISO 8601, UTC."""
    data: VerificationEventData


class _VerificationEventDataRequired(TypedDict):
    agreed: bool
    """Whether the independent verifier agreed."""
    reason: str
    """Why it agreed or not."""
    checks: List[VerificationEventDataChecksItem]
    """Each check."""
    cost: Union[ModelCost, None]
    total_cost: Union[ModelCost, None]


class VerificationEventData(_VerificationEventDataRequired, total=False):
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class VerificationEventDataChecksItem(TypedDict):
    about: str
    """What was checked."""
    verdict: Literal["satisfied", "contradicted", "unknown"]
    evidence: str
    """What it is based on."""


class ExecutionCompletedEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["execution.completed"]
    at: str
    """ISO 8601, UTC."""
    data: ExecutionCompletedEventData


class _ExecutionCompletedEventDataRequired(TypedDict):
    terminal: CompletedExecutionTerminal


class ExecutionCompletedEventData(_ExecutionCompletedEventDataRequired, total=False):
    cost: ModelCost
    metadata: Dict[str, str]
    """The `metadata` of the create request. Absent when there is none."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class ExecutionFailedEvent(TypedDict):
    id: int
    """1, 2, 3, … within its execution."""
    type: Literal["execution.failed"]
    at: str
    """ISO 8601, UTC."""
    data: ExecutionFailedEventData


class _ExecutionFailedEventDataRequired(TypedDict):
    terminal: FailedExecutionTerminal


class ExecutionFailedEventData(_ExecutionFailedEventDataRequired, total=False):
    side_effects: List[SideEffect]
    """Everything the execution changed. Empty if it changed nothing."""
    verifier: ExecutionFailedEventDataVerifier
    cost: ModelCost
    metadata: Dict[str, str]
    """The `metadata` of the create request. Absent when there is none."""
    truncated: bool
    """The data was longer than about 64 KiB: texts and lists in it were shortened."""


class ExecutionFailedEventDataVerifier(TypedDict):
    agreed: bool
    """Whether the independent verifier agreed."""
    reason: str
    """Why it agreed or not."""
    checks: List[VerificationEventDataChecksItem]
    """Each check."""


class ModelCost(TypedDict):
    """What the models spent."""

    model: str
    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    duration_ms: int
    requests: int


class Artifact(TypedDict):
    """A file that was kept as evidence."""

    id: str
    kind: Literal["screenshot", "page", "network", "provenance", "download"]
    """`screenshot`, `page`: the page as a picture or as text. `network`: the requests. `provenance`: the source of each
    extracted value. `download`: a file from the site."""
    name: str
    """A suggested file name."""
    content_type: str
    """The media type."""
    bytes: int
    """The size in bytes."""
    sha256: str
    """The SHA-256 of the content in hexadecimal."""
    created_at: str
    """ISO 8601, UTC."""


class Connection(TypedDict):
    """The connection that a token belongs to."""

    id: str
    application_id: str
    """The application that the user connected."""
    user_id: str
    """The user who connected."""
    state: Literal["ACTIVE", "REAUTHORIZATION_REQUIRED"]
    """`REAUTHORIZATION_REQUIRED`: nothing runs until the user has signed in or consented again. Send them through the
    authorization link."""
    approval: Literal["never", "commits"]
    """`commits`: the application or the user wants runs to wait for a person before anything is bought, sent, published
    or deleted."""
    execution_credits: int
    """What a verified execution costs the application's owner."""
    has_credits: bool
    """Whether the owner's balance is enough for another execution."""


class ApplicationConnection(TypedDict):
    """A user's connection, as the owner of the application sees it."""

    id: str
    user_id: str
    """The user who connected."""
    user_email: str
    """The user's email address."""
    state: Literal["ACTIVE", "REAUTHORIZATION_REQUIRED"]
    """`REAUTHORIZATION_REQUIRED`: nothing runs until the user has signed in or consented again. Send them through the
    authorization link."""
    signed_in_at: Union[str, None]
    """When the user last signed in to the site. Null without a saved sign-in."""
    last_execution: Union[ApplicationConnectionLastExecution, None]
    """The newest execution. Null if there is none."""
    created_at: str
    """ISO 8601, UTC."""


class ApplicationConnectionLastExecution(TypedDict):
    """The newest execution. Null if there is none."""

    id: str
    status: str
    created_at: str
    """ISO 8601, UTC."""


class Interaction(TypedDict):
    """What an execution wants of a person."""

    id: str
    message: str
    """What is about to be done, what only the person knows, or why a person is needed."""
    url: str
    """The page that the run is on."""
    amount: Union[InteractionEventDataAmount, None]
    """The total, as the page states it."""
    recipient: Union[str, None]
    """Who gets it."""
    items: List[str]
    """What it is about."""
    values: List[InteractionValuesItem]
    """What will be sent. Secrets are masked."""
    options: List[str]
    """The possible answers to a question; empty if any text is fine."""
    is_secret: bool
    """The answer is a one-time code or another secret. It is not kept."""
    picture: Union[InteractionPicture, None]
    """The page as it is, and the place that is about to be acted on."""
    kind: Literal["approval", "question", "takeover"]
    state: Literal["open", "answered", "expired", "closed"]
    """`expired`: nobody answered in time. `closed`: the execution ended first."""
    answer: Union[Literal["approved", "declined", "answered", "handed_back"], None]
    answered_by: Union[Literal["application", "link", "user", "owner"], None]
    """`link`: somebody who had the link and was not signed in."""
    link: Union[str, None]
    """A page for the person, made for phones, which works without an account. Anyone who has the link can answer. Null
    once it has ended."""
    created_at: str
    """ISO 8601, UTC."""
    expires_at: str
    """ISO 8601, UTC."""


class InteractionValuesItem(TypedDict):
    name: str
    value: str


class InteractionPicture(TypedDict):
    """The page as it is, and the place that is about to be acted on."""

    artifact_id: str
    """A screenshot among the execution's artifacts."""
    mark: Union[InteractionPictureMark, None]
    """In pixels of the picture."""


class InteractionPictureMark(TypedDict):
    """In pixels of the picture."""

    x: float
    y: float
    width: float
    height: float


class Webhook(TypedDict):
    id: str
    url: str
    """Where messages are sent: an https URL of at most 2048 characters."""
    description: Union[str, None]
    """What this webhook is for."""
    events: Union[List[Literal["execution.completed", "execution.failed", "execution.interaction_required", "connection.reauthorization_required", "credits.low"]], None]
    """The events to send. Null: all, including ones added in the future."""
    enabled: bool
    """Whether messages are sent."""
    disabled: Union[WebhookDisabled, None]
    """When and why it was disabled. Null while it is enabled."""
    previous_secret_until: Union[str, None]
    """Messages are also signed with the previous secret until this time. Null if there is none."""
    created_at: str
    """ISO 8601, UTC."""


class WebhookDisabled(TypedDict):
    """When and why it was disabled. Null while it is enabled."""

    at: str
    """ISO 8601, UTC."""
    reason: Literal["by_hand", "gone"]
    """`by_hand`: disabled by a person or the application. `gone`: the receiver responded with 410."""


class WebhookDelivery(TypedDict):
    id: str
    """The same as the `webhook-id` header: `msg_…`."""
    type: Literal["execution.completed", "execution.failed", "execution.interaction_required", "connection.reauthorization_required", "credits.low", "ping"]
    state: Literal["pending", "delivered", "failed", "canceled"]
    """`pending`: waiting for the next attempt. `failed`: not delivered within three days. `canceled`: its subject was
    deleted, or the webhook was disabled."""
    execution_id: Union[str, None]
    """The execution it is about."""
    connection_id: Union[str, None]
    """The connection it is about."""
    next_attempt_at: Union[str, None]
    """The time of the next attempt. Null if there is none."""
    attempts: List[WebhookDeliveryAttemptsItem]
    """The newest 50, newest first."""
    created_at: str
    """ISO 8601, UTC."""
    finished_at: Union[str, None]
    """ISO 8601, UTC."""


class WebhookDeliveryAttemptsItem(TypedDict):
    at: str
    """ISO 8601, UTC."""
    status: Union[int, None]
    """The receiver's HTTP status. Null if there was no response."""
    duration_ms: int
    error: Union[str, None]
    """Why it failed. Null if it succeeded."""


class ExecutionCompletedMessage(TypedDict):
    """It ended with a verified result."""

    type: Literal["execution.completed"]
    timestamp: str
    """When it happened."""
    data: ExecutionCompletedMessageData


class ExecutionCompletedMessageData(TypedDict):
    application_id: str
    connection_id: str
    execution: CompletedExecution
    metadata: Dict[str, str]
    """The `metadata` of the create request; empty if there was none."""
    recipe: Union[ExecutionCompletedMessageDataRecipe, None]
    """The recipe that it ran with. Null without one."""


class ExecutionCompletedMessageDataRecipe(TypedDict):
    """The recipe that it ran with. Null without one."""

    id: str
    version: int
    outcome: Union[Literal["replayed", "healed", "failed"], None]
    """`replayed`: to its end without a model. `healed`: a model took over. `failed`: it could not be followed. Null
    when the run did not get that far."""


class ExecutionFailedMessage(TypedDict):
    """It ended without a verified result: it failed, was canceled, timed out, or its worker was lost."""

    type: Literal["execution.failed"]
    timestamp: str
    """When it happened."""
    data: ExecutionFailedMessageData


class ExecutionFailedMessageData(TypedDict):
    application_id: str
    connection_id: str
    execution: FailedExecution
    metadata: Dict[str, str]
    """The `metadata` of the create request; empty if there was none."""
    recipe: Union[ExecutionCompletedMessageDataRecipe, None]
    """The recipe that it ran with. Null without one."""


class InteractionRequiredMessage(TypedDict):
    """Somebody has to approve something, answer a question or take over. Pass the `link` on to them."""

    type: Literal["execution.interaction_required"]
    timestamp: str
    """When it happened."""
    data: InteractionRequiredMessageData


class InteractionRequiredMessageData(TypedDict):
    application_id: str
    connection_id: str
    execution_id: str
    interaction: Interaction
    metadata: Dict[str, str]
    """The `metadata` of the create request; empty if there was none."""


class ReauthorizationRequiredMessage(TypedDict):
    """Nothing runs on the connection until the user has signed in or consented again."""

    type: Literal["connection.reauthorization_required"]
    timestamp: str
    """When it happened."""
    data: ReauthorizationRequiredMessageData


class ReauthorizationRequiredMessageData(TypedDict):
    application_id: str
    connection_id: str


class CreditsLowMessage(TypedDict):
    """The owner's balance fell to a limit. Sent once, and again only after credits were granted."""

    type: Literal["credits.low"]
    timestamp: str
    """When it happened."""
    data: CreditsLowMessageData


class CreditsLowMessageData(TypedDict):
    application_id: str
    balance: int
    """Credits that are left."""
    low_at: int
    """The limit."""


class PingMessage(TypedDict):
    """Somebody requested it to test the webhook."""

    type: Literal["ping"]
    timestamp: str
    """When it happened."""
    data: PingMessageData


class PingMessageData(TypedDict):
    application_id: str
    webhook_id: str


class Error(TypedDict):
    error: ErrorError


class _ErrorErrorRequired(TypedDict):
    code: Literal["INVALID_REQUEST", "INVALID_CURSOR", "UNAUTHENTICATED", "INSUFFICIENT_CREDITS", "APPLICATION_MISMATCH", "FORBIDDEN", "EXECUTION_NOT_FOUND", "NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "IDEMPOTENCY_KEY_REUSED", "CONNECTION_REAUTHORIZATION_REQUIRED", "EXECUTION_FINISHED", "EXECUTION_NOT_FINISHED", "INTERACTION_ENDED", "ALREADY_CLAIMED", "RECIPE_CHANGED", "RECIPE_EXISTS", "RECIPE_NOT_POSSIBLE", "SECRET_JUST_ROTATED", "GONE", "PAYLOAD_TOO_LARGE", "URI_TOO_LONG", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMITED", "HEADERS_TOO_LARGE", "INTERNAL", "UNAVAILABLE"]
    """Stable. Use this to handle errors."""
    message: str
    """For developers: what went wrong and what to do next."""
    request_id: str
    """Also in the `X-Request-Id` header. The service's log has it."""


class ErrorError(_ErrorErrorRequired, total=False):
    details: List[ErrorErrorDetailsItem]
    """Each error in the request."""


class ErrorErrorDetailsItem(TypedDict):
    path: str
    """The field, header or parameter."""
    message: str
    """What is wrong with it."""


class OAuthError(TypedDict):
    error: Literal["invalid_grant", "invalid_request", "unsupported_grant_type", "invalid_client", "server_error", "temporarily_unavailable"]
    """A code of RFC 6749."""
    error_description: str
    """For developers: what went wrong and what to do next."""


class _CreateExecutionRequestRequired(TypedDict):
    prompt: str
    """The task in plain language: 1 to 20000 characters, not blank."""


class CreateExecutionRequest(_CreateExecutionRequestRequired, total=False):
    start_url: Union[str, None]
    """An http or https URL of at most 2048 characters. Default: the application's home page."""
    output_schema: Union[Dict[str, Any], None]
    """A JSON Schema (2020-12) for `result.extracted`: an object, at most 64 KiB, 32 levels deep, without remote
    references."""
    approval: Union[Literal["never", "commits"], None]
    """`commits`: the run waits for a person before anything is bought, sent, published or deleted. It can only make the
    run stricter: `never` does not lift what the application or the user wants. Default: what they want."""
    metadata: Union[Dict[str, str], None]
    """Your own data, which comes back in the execution's events and webhooks: at most 16 pairs, names of 1 to 40
    characters and values of at most 500. It is not part of the execution. Don't put secrets in it."""
    recipe: Union[str, None]
    """`auto`: if exactly one recipe matches the prompt, the execution runs with it, without a model. `off`: none is
    used, and none is learned. Or the id of a recipe, which is then used; `start_url` and `output_schema` are those of
    the recipe. Default: `auto`."""
    variables: Union[Dict[str, str], None]
    """With the id of a recipe: a value for each of its variables. `prompt` is then the recipe's template, with or
    without the values in it. Without `variables`, the values are taken from the prompt."""


class CreateExecutionResponse(TypedDict):
    """The execution."""

    execution: Execution


class ListExecutionsResponse(TypedDict):
    """One page."""

    executions: List[Execution]
    """Newest first."""
    has_more: bool
    """Whether there are more. Pass the last id as `after` to get them."""


class ListExecutionEventsResponse(TypedDict):
    """One page."""

    events: List[ExecutionEvent]
    """Oldest first."""
    has_more: bool
    """Whether there are more right now. Pass the last id as `after` to get them."""


class GetExecutionEvidenceResponse(TypedDict):
    """The evidence of the execution."""

    evidence: GetExecutionEvidenceResponseEvidence
    """As `result.evidence`, also for failed executions."""
    artifacts: List[Artifact]
    """Screenshots and other files, oldest first."""


class GetExecutionEvidenceResponseEvidence(TypedDict):
    """As `result.evidence`, also for failed executions."""

    urls: List[str]
    """URLs visited or cited."""
    verifier: Union[Verdict, None]
    side_effects: List[SideEffect]
    """Everything the execution changed. Empty if it changed nothing."""


class ListExecutionArtifactsResponse(TypedDict):
    """The artifacts of the execution."""

    artifacts: List[Artifact]
    """Oldest first."""


class CreateExecutionLiveLinkResponse(TypedDict):
    """The link."""

    url: str
    """A page that shows the browser of the execution live, without input. Open it, or embed it in a page of an origin
    that is among the application's redirect URIs. Anyone who has the link can watch."""
    expires_at: str
    """The page must be opened before this time. An open page shows the execution to its end."""


class GetExecutionInteractionResponse(TypedDict):
    """What the execution waits for, or null when it waits for nothing."""

    interaction: Union[Interaction, None]


class _AnswerExecutionInteractionRequestRequired(TypedDict):
    id: str
    """The interaction's id, so that nobody answers another one than they have seen."""
    action: Literal["approve", "decline", "answer", "hand_back"]
    """`approve` or `decline` an approval, `answer` or `decline` a question, `hand_back` or `decline` a takeover."""


class AnswerExecutionInteractionRequest(_AnswerExecutionInteractionRequestRequired, total=False):
    text: str
    """Only with `answer`: 1 to 1000 characters, or one of the `options`."""


class AnswerExecutionInteractionResponse(TypedDict):
    """The interaction with its answer."""

    interaction: Interaction


class GetConnectionResponse(TypedDict):
    """The connection."""

    connection: Connection


class _CreateWebhookRequestRequired(TypedDict):
    url: str
    """Where messages are sent: an https URL of at most 2048 characters."""


class CreateWebhookRequest(_CreateWebhookRequestRequired, total=False):
    description: Union[str, None]
    """What this webhook is for."""
    events: Union[List[Literal["execution.completed", "execution.failed", "execution.interaction_required", "connection.reauthorization_required", "credits.low"]], None]
    """The events to send. Null: all, including ones added in the future."""


class CreateWebhookResponse(TypedDict):
    """The webhook and its secret."""

    webhook: Webhook
    secret: str
    """The key that signs messages: `whsec_…`. Shown only once."""


class ListWebhooksResponse(TypedDict):
    """All webhooks of the application."""

    webhooks: List[Webhook]
    """Oldest first."""


class GetWebhookResponse(TypedDict):
    """The webhook."""

    webhook: Webhook


class UpdateWebhookRequest(TypedDict, total=False):
    url: str
    """Where messages are sent: an https URL of at most 2048 characters."""
    description: Union[str, None]
    """What this webhook is for."""
    events: Union[List[Literal["execution.completed", "execution.failed", "execution.interaction_required", "connection.reauthorization_required", "credits.low"]], None]
    """The events to send. Null: all, including ones added in the future."""
    enabled: bool
    """False stops the webhook and cancels pending messages. True resumes it."""


class PingWebhookResponse(TypedDict):
    """The delivery. It is attempted immediately."""

    delivery: WebhookDelivery


class ListDeliveriesResponse(TypedDict):
    """One page of the delivery log of the last 30 days."""

    deliveries: List[WebhookDelivery]
    """Newest first."""
    has_more: bool
    """Whether there are more. Pass the last id as `after` to get them."""


class ListConnectionsResponse(TypedDict):
    """One page."""

    connections: List[ApplicationConnection]
    """Newest first."""
    has_more: bool
    """Whether there are more. Pass the last id as `after` to get them."""


class GetBalanceResponse(TypedDict):
    """The balance of the application's owner. All applications of an owner share it."""

    balance: GetBalanceResponseBalance


class GetBalanceResponseBalance(TypedDict):
    credits: int
    """What is left, without what running executions have reserved."""
    execution_credits: int
    """What a verified execution costs."""


class _ExchangeCodeRequestRequired(TypedDict):
    grant_type: str
    """`authorization_code`."""
    code: str
    """The authorization code. Valid once, for five minutes."""
    redirect_uri: str
    """The redirect URI that the code was sent to."""


class ExchangeCodeRequest(_ExchangeCodeRequestRequired, total=False):
    client_id: str
    """For public applications."""
    client_secret: str
    """For confidential applications that cannot use HTTP Basic."""
    code_verifier: str
    """Required if the authorization link had a `code_challenge`."""
    resource: str
    """For MCP clients (RFC 8707): as in the authorization link."""


class ExchangeCodeResponse(TypedDict):
    """The connection's token."""

    access_token: str
    """Does not expire. There is no refresh token."""
    token_type: Literal["Bearer"]
    connection_id: str
    user_id: str


class _RevokeTokenRequestRequired(TypedDict):
    token: str
    """The connection access token to revoke."""


class RevokeTokenRequest(_RevokeTokenRequestRequired, total=False):
    client_id: str
    """For public applications."""
    client_secret: str
    """For confidential applications that cannot use HTTP Basic."""


class RevokeTokenResponse(TypedDict):
    """The token is no longer valid."""

    pass


class GetAuthorizationServerMetadataResponse(TypedDict):
    """RFC 8414."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    revocation_endpoint: str
    response_types_supported: List[str]
    response_modes_supported: List[str]
    grant_types_supported: List[str]
    token_endpoint_auth_methods_supported: List[str]
    revocation_endpoint_auth_methods_supported: List[str]
    code_challenge_methods_supported: List[str]
    authorization_response_iss_parameter_supported: bool
    client_id_metadata_document_supported: bool
    service_documentation: str

Execution = Union["QueuedExecution", "RunningExecution", "CompletedExecution", "FailedExecution"]
"""One errand on one connection."""

ExecutionEvent = Union["ExecutionQueuedEvent", "ExecutionStartedEvent", "StepEvent", "SignInEvent", "RecipeEvent", "InteractionEvent", "VerificationEvent", "ExecutionCompletedEvent", "ExecutionFailedEvent"]
"""What happened in an execution. New types may be added: ignore those that you do not know."""

WebhookMessage = Union["ExecutionCompletedMessage", "ExecutionFailedMessage", "InteractionRequiredMessage", "ReauthorizationRequiredMessage", "CreditsLowMessage", "PingMessage"]
"""The body of a request to a webhook. New types may be added: acknowledge those that you do not know."""

GetExecutionResponse = CreateExecutionResponse

CancelExecutionResponse = CreateExecutionResponse

UpdateWebhookResponse = GetWebhookResponse

RotateWebhookSecretResponse = CreateWebhookResponse

ResendDeliveryResponse = PingWebhookResponse
