// Generated from docs/openapi.json by scripts/generate-sdk-types.ts. Do not edit.

/** One errand on one connection. */
export type Execution = QueuedExecution | RunningExecution | CompletedExecution | FailedExecution;

/** It waits for a worker. */
export type QueuedExecution = {
  id: string;
  /** `QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final. */
  status: "QUEUED";
  /** The prompt as it was sent. */
  prompt: string;
  /** The URL where the execution starts. */
  start_url: string | null;
  /** The schema as it was sent. */
  output_schema: {
    [name: string]: unknown;
  } | null;
  usage: {
    /** The price of this execution. */
    credits: number;
    /** Whether credits were charged. Only verified results are. */
    charged: boolean;
  };
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** Null until the execution has ended. */
  terminal: null;
  /** Null unless the execution is `COMPLETED`. */
  result: null;
  /** Null unless the execution is `FAILED`. */
  error: null;
  /** Null until the execution has ended. */
  completed_at: null;
};

/** A worker runs it. */
export type RunningExecution = {
  id: string;
  /** `QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final. */
  status: "RUNNING";
  /** The prompt as it was sent. */
  prompt: string;
  /** The URL where the execution starts. */
  start_url: string | null;
  /** The schema as it was sent. */
  output_schema: {
    [name: string]: unknown;
  } | null;
  usage: {
    /** The price of this execution. */
    credits: number;
    /** Whether credits were charged. Only verified results are. */
    charged: boolean;
  };
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  /** Null until the execution has ended. */
  terminal: null;
  /** Null unless the execution is `COMPLETED`. */
  result: null;
  /** Null unless the execution is `FAILED`. */
  error: null;
  /** Null until the execution has ended. */
  completed_at: null;
};

/** It has a verified result. */
export type CompletedExecution = {
  id: string;
  /** `QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final. */
  status: "COMPLETED";
  /** The prompt as it was sent. */
  prompt: string;
  /** The URL where the execution starts. */
  start_url: string | null;
  /** The schema as it was sent. */
  output_schema: {
    [name: string]: unknown;
  } | null;
  usage: {
    /** The price of this execution. */
    credits: number;
    /** Whether credits were charged. Only verified results are. */
    charged: boolean;
  };
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  terminal: {
    status: "verified";
    /** The outcome in a sentence. */
    reason: string;
  };
  result: ExecutionResult;
  /** Null unless the execution is `FAILED`. */
  error: null;
  /** ISO 8601, UTC. */
  completed_at: string;
};

/** It ended without a verified result. It may have changed something before: see its evidence. */
export type FailedExecution = {
  id: string;
  /** `QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final. */
  status: "FAILED";
  /** The prompt as it was sent. */
  prompt: string;
  /** The URL where the execution starts. */
  start_url: string | null;
  /** The schema as it was sent. */
  output_schema: {
    [name: string]: unknown;
  } | null;
  usage: {
    /** The price of this execution. */
    credits: number;
    /** Whether credits were charged. Only verified results are. */
    charged: boolean;
  };
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  updated_at: string;
  terminal: {
    /**
     * Why it failed.
     *
     * - `unverified`: The agent says that it is done, but the independent verifier did not agree.
     * - `goal_unreachable`: The site does not offer what was asked for, or not in the words of the prompt.
     * - `reauthorization_required`: The user is signed out of the site, or has to consent again.
     * - `blocked`: A captcha or a bot wall is in the way.
     * - `policy_violation`: It would have left the allowed hosts, or changed something in spite of read-only access.
     * - `output_schema_mismatch`: The page does not show what `output_schema` requires.
     * - `step_limit`: It needed more steps than are allowed.
     * - `timed_out`: It took longer than is allowed.
     * - `canceled`: Somebody canceled it, or deleted what it needs.
     * - `approval_declined`: A person declined what it was about to do.
     * - `approval_expired`: Nobody approved in time what it was about to do.
     * - `interaction_expired`: Nobody answered its question in time.
     * - `site_error`: The site did not work or could not be reached.
     * - `model_error`: The language model is unavailable or gave no usable response.
     * - `unsupported_prompt`: The prompt is not clear enough; or no model is configured, and the prompt is not a list of steps.
     * - `worker_lost`: The process that ran it ended, so its last actions are unknown.
     * - `internal_error`: There is a bug in Errand.
     */
    status: "unverified" | "goal_unreachable" | "reauthorization_required" | "blocked" | "policy_violation" | "output_schema_mismatch" | "step_limit" | "timed_out" | "canceled" | "approval_declined" | "approval_expired" | "interaction_expired" | "site_error" | "model_error" | "unsupported_prompt" | "worker_lost" | "internal_error";
    /** The outcome in a sentence. */
    reason: string;
  };
  /** Null unless the execution is `COMPLETED`. */
  result: null;
  error: {
    /**
     * The same as `terminal.status` in capitals, or a more specific one. New ones may be added.
     *
     * - `UNVERIFIED`: The agent says that it is done, but the independent verifier did not agree.
     * - `GOAL_UNREACHABLE`: The site does not offer what was asked for, or not in the words of the prompt.
     * - `REAUTHORIZATION_REQUIRED`: The user is signed out of the site, or has to consent again.
     * - `BLOCKED`: A captcha or a bot wall is in the way.
     * - `POLICY_VIOLATION`: It would have left the allowed hosts, or changed something in spite of read-only access.
     * - `OUTPUT_SCHEMA_MISMATCH`: The page does not show what `output_schema` requires.
     * - `STEP_LIMIT`: It needed more steps than are allowed.
     * - `TIMED_OUT`: It took longer than is allowed.
     * - `CANCELED`: Somebody canceled it, or deleted what it needs.
     * - `APPROVAL_DECLINED`: A person declined what it was about to do.
     * - `APPROVAL_EXPIRED`: Nobody approved in time what it was about to do.
     * - `INTERACTION_EXPIRED`: Nobody answered its question in time.
     * - `SITE_ERROR`: The site did not work or could not be reached.
     * - `MODEL_ERROR`: The language model is unavailable or gave no usable response.
     * - `UNSUPPORTED_PROMPT`: The prompt is not clear enough; or no model is configured, and the prompt is not a list of steps.
     * - `WORKER_LOST`: The process that ran it ended, so its last actions are unknown.
     * - `INTERNAL_ERROR`: There is a bug in Errand.
     * - `UNPROVEN`: The agent could not show where the site says what it claims.
     * - `WOULD_REPEAT`: Trying again would have sent the same thing twice.
     * - `READ_ONLY`: The application has read-only access, and a step would have changed something.
     * - `TOKEN_LIMIT`: The models used more tokens than are allowed.
     * - `BROWSER_LOST`: The browser ended or stopped responding.
     * - `SHUTTING_DOWN`: The service was stopped while the execution was running.
     * - `EVIDENCE_NOT_KEPT`: The evidence could not be stored, so the result does not count.
     * - `SIGN_IN_UNREADABLE`: The user's saved sign-in cannot be decrypted.
     * - `NO_REPORT`: An action was requested and nothing was reported.
     * - `MODEL_UNREACHABLE`: The model's server could not be reached.
     * - `MODEL_UNAUTHORIZED`: The model's key is wrong or missing, or the account may not use the model.
     * - `MODEL_REJECTED`: The model's provider rejected the request: there is no such model, or the prompt is too long.
     * - `MODEL_RATE_LIMITED`: The model's provider limits how many requests it accepts.
     * - `MODEL_OVERLOADED`: The model's provider is overloaded.
     * - `MODEL_TIMED_OUT`: The model did not respond in time.
     * - `MODEL_UNUSABLE`: The model responded without usable calls, even after corrections.
     * - `SIGN_IN_NOT_SET_UP`: The site asks to sign in, and the application has no sign-in URL.
     * - `STUCK`: The same action was repeated and the page did not change.
     * - `REFUSED_BY_SITE`: The site says that it does not do this.
     * - `SITE_REFUSED`: The site rejected what was entered.
     * - `COMMIT`: What the site was about to do is not what the prompt asks for.
     * - `CONFIRMATION_NEEDED`: The site asked for a confirmation that the prompt does not mention.
     * - `AMBIGUOUS`: Several elements of the page match what a step names.
     * - `NOT_FOUND`: The page has no element that a step names.
     * - `TEXT_NOT_FOUND`: The field does not contain the text that a step quotes.
     * - `ANSWER_NOT_FOUND`: The page does not show the value that was asked for.
     * - `NOT_AS_EXPECTED`: Something that a step expects does not hold.
     * - `LIST_NOT_FOUND`: The page has no list that matches.
     * - `COLUMN_NOT_FOUND`: The list has no column with this name.
     * - `ROW_NOT_FOUND`: The list has fewer rows.
     * - `UNKNOWN_ROWS`: It is not certain which rows of the list are meant.
     * - `PARTIAL_LIST`: The list may have more rows than could be read.
     * - `TOO_MANY`: There are more entries than one execution handles.
     * - `NOT_ACTIONABLE`: A step names an element that cannot be used.
     * - `COVERED`: Another element covers the one that a step names.
     * - `DISABLED`: The element that a step names is disabled.
     * - `DIALOG_OPEN`: A dialog of the page is in the way.
     * - `INVALID_INPUT`: The element does not take this input.
     * - `NO_EFFECT`: The page did not react to an action.
     * - `STALE`: The element disappeared while it was being used.
     * - `TIMEOUT`: The page did not react in time.
     */
    code: "UNVERIFIED" | "GOAL_UNREACHABLE" | "REAUTHORIZATION_REQUIRED" | "BLOCKED" | "POLICY_VIOLATION" | "OUTPUT_SCHEMA_MISMATCH" | "STEP_LIMIT" | "TIMED_OUT" | "CANCELED" | "APPROVAL_DECLINED" | "APPROVAL_EXPIRED" | "INTERACTION_EXPIRED" | "SITE_ERROR" | "MODEL_ERROR" | "UNSUPPORTED_PROMPT" | "WORKER_LOST" | "INTERNAL_ERROR" | "UNPROVEN" | "WOULD_REPEAT" | "READ_ONLY" | "TOKEN_LIMIT" | "BROWSER_LOST" | "SHUTTING_DOWN" | "EVIDENCE_NOT_KEPT" | "SIGN_IN_UNREADABLE" | "NO_REPORT" | "MODEL_UNREACHABLE" | "MODEL_UNAUTHORIZED" | "MODEL_REJECTED" | "MODEL_RATE_LIMITED" | "MODEL_OVERLOADED" | "MODEL_TIMED_OUT" | "MODEL_UNUSABLE" | "SIGN_IN_NOT_SET_UP" | "STUCK" | "REFUSED_BY_SITE" | "SITE_REFUSED" | "COMMIT" | "CONFIRMATION_NEEDED" | "AMBIGUOUS" | "NOT_FOUND" | "TEXT_NOT_FOUND" | "ANSWER_NOT_FOUND" | "NOT_AS_EXPECTED" | "LIST_NOT_FOUND" | "COLUMN_NOT_FOUND" | "ROW_NOT_FOUND" | "UNKNOWN_ROWS" | "PARTIAL_LIST" | "TOO_MANY" | "NOT_ACTIONABLE" | "COVERED" | "DISABLED" | "DIALOG_OPEN" | "INVALID_INPUT" | "NO_EFFECT" | "STALE" | "TIMEOUT";
    /** What happened and what to do next. */
    message: string;
  };
  /** ISO 8601, UTC. */
  completed_at: string;
};

export type ExecutionResult = {
  /** The result in words. */
  final_text: string;
  /** The URL of the last page. */
  final_url: string;
  /** The title of the last page. */
  final_title: string;
  /** The data for `output_schema`, or null. */
  extracted: unknown;
  evidence: {
    /** URLs visited or cited. */
    urls: Array<string>;
    verifier: Verdict;
    /** Everything the execution changed. Empty if it changed nothing. */
    side_effects: Array<SideEffect>;
  };
};

/** A change that the execution made, or may have made, on a site. */
export type SideEffect = {
  /** The kind of effect: `request`, `form_submission`, `download`, … */
  type: string;
  /** What was done, in words: what, how much, for whom, and the site's reference. */
  description?: string;
  [name: string]: unknown;
};

/** What the independent verifier says. */
export type Verdict = {
  /** Whether the independent verifier agreed. */
  agreed: boolean;
  /** Why it agreed or not. */
  reason: string;
};

/** What happened in an execution. New types may be added: ignore those that you do not know. */
export type ExecutionEvent = ExecutionQueuedEvent | ExecutionStartedEvent | StepEvent | SignInEvent | RecipeEvent | InteractionEvent | VerificationEvent | ExecutionCompletedEvent | ExecutionFailedEvent;

export type ExecutionQueuedEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "execution.queued";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** The `metadata` of the create request. Absent when there is none. */
    metadata?: Record<string, string>;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type ExecutionStartedEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "execution.started";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type StepEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "step";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** 1, 2, 3, … */
    step: number;
    /** What the agent did: `click`, `fill`, `goto`, … */
    action: string;
    /** The input of the action. Secrets are masked. */
    input: {
      [name: string]: unknown;
    };
    /** Why, in a sentence. */
    why: string;
    outcome: "ok" | "failed";
    /** Why it failed. */
    message: string | null;
    /** The page after it. */
    url: string;
    /** The title of that page. */
    title: string;
    /** Everything the execution changed. Empty if it changed nothing. */
    side_effects: Array<SideEffect>;
    /** The artifact's id. */
    screenshot: string | null;
    /** Where the element was that was acted on, in pixels of the screenshot from before. */
    mark: {
      x: number;
      y: number;
      width: number;
      height: number;
      /** The artifact's id. */
      screenshot: string;
    } | null;
    cost: ModelCost | null;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type SignInEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "sign_in";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** Whether Errand has signed in again with the stored credentials after the sign-in had expired. */
    outcome: "renewed" | "failed";
    /** Why it failed, such as `rejected` or `code_required`. Only when it failed. */
    failure?: string;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type RecipeEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "recipe";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** `used`: the run follows a recipe. `replayed`: it did so to its end, without a model. `healed`: a model took over. `failed`: it could not be followed. `learned`: the run became a recipe, or the next version of one. `not_learned`: it cannot be repeated without a model, also reported where learning is off. `set_aside`: the recipe failed several times in a row and is not used any more. */
    outcome: "used" | "replayed" | "healed" | "failed" | "learned" | "not_learned" | "set_aside";
    recipe_id?: string;
    /** The version of the recipe. */
    version?: number;
    /** The step that could not be followed, in words. Absent when all steps were done. */
    step?: string;
    /** Why, in a sentence. */
    reason?: string;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type InteractionEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "interaction";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    interaction_id: string;
    kind: "approval" | "question" | "takeover";
    /** `expired`: nobody answered in time. `closed`: the execution ended first. */
    state: "open" | "answered" | "expired" | "closed";
    /** What is asked. Only when `state` is `open`. */
    message?: string;
    /** The page that the run is on. */
    url?: string;
    /** The total, as the page states it. */
    amount?: {
      value: number;
      /** ISO 4217. */
      currency: string;
    } | null;
    /** ISO 8601, UTC. */
    expires_at?: string;
    answer?: "approved" | "declined" | "answered" | "handed_back" | null;
    /** `link`: somebody who had the link and was not signed in. */
    answered_by?: "application" | "link" | "user" | "owner" | null;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type VerificationEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "verification";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    /** Whether the independent verifier agreed. */
    agreed: boolean;
    /** Why it agreed or not. */
    reason: string;
    /** Each check. */
    checks: Array<{
      /** What was checked. */
      about: string;
      verdict: "satisfied" | "contradicted" | "unknown";
      /** What it is based on. */
      evidence: string;
    }>;
    cost: ModelCost | null;
    total_cost: ModelCost | null;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type ExecutionCompletedEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "execution.completed";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    terminal: {
      status: "verified";
      /** The outcome in a sentence. */
      reason: string;
    };
    cost?: ModelCost;
    /** The `metadata` of the create request. Absent when there is none. */
    metadata?: Record<string, string>;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

export type ExecutionFailedEvent = {
  /** 1, 2, 3, … within its execution. */
  id: number;
  type: "execution.failed";
  /** ISO 8601, UTC. */
  at: string;
  data: {
    terminal: {
      /**
       * Why it failed.
       *
       * - `unverified`: The agent says that it is done, but the independent verifier did not agree.
       * - `goal_unreachable`: The site does not offer what was asked for, or not in the words of the prompt.
       * - `reauthorization_required`: The user is signed out of the site, or has to consent again.
       * - `blocked`: A captcha or a bot wall is in the way.
       * - `policy_violation`: It would have left the allowed hosts, or changed something in spite of read-only access.
       * - `output_schema_mismatch`: The page does not show what `output_schema` requires.
       * - `step_limit`: It needed more steps than are allowed.
       * - `timed_out`: It took longer than is allowed.
       * - `canceled`: Somebody canceled it, or deleted what it needs.
       * - `approval_declined`: A person declined what it was about to do.
       * - `approval_expired`: Nobody approved in time what it was about to do.
       * - `interaction_expired`: Nobody answered its question in time.
       * - `site_error`: The site did not work or could not be reached.
       * - `model_error`: The language model is unavailable or gave no usable response.
       * - `unsupported_prompt`: The prompt is not clear enough; or no model is configured, and the prompt is not a list of steps.
       * - `worker_lost`: The process that ran it ended, so its last actions are unknown.
       * - `internal_error`: There is a bug in Errand.
       */
      status: "unverified" | "goal_unreachable" | "reauthorization_required" | "blocked" | "policy_violation" | "output_schema_mismatch" | "step_limit" | "timed_out" | "canceled" | "approval_declined" | "approval_expired" | "interaction_expired" | "site_error" | "model_error" | "unsupported_prompt" | "worker_lost" | "internal_error";
      /** The outcome in a sentence. */
      reason: string;
    };
    /** Everything the execution changed. Empty if it changed nothing. */
    side_effects?: Array<SideEffect>;
    verifier?: {
      /** Whether the independent verifier agreed. */
      agreed: boolean;
      /** Why it agreed or not. */
      reason: string;
      /** Each check. */
      checks: Array<{
        /** What was checked. */
        about: string;
        verdict: "satisfied" | "contradicted" | "unknown";
        /** What it is based on. */
        evidence: string;
      }>;
    };
    cost?: ModelCost;
    /** The `metadata` of the create request. Absent when there is none. */
    metadata?: Record<string, string>;
    /** The data was longer than about 64 KiB: texts and lists in it were shortened. */
    truncated?: boolean;
    [name: string]: unknown;
  };
};

/** What the models spent. */
export type ModelCost = {
  model: string;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  duration_ms: number;
  requests: number;
};

/** A file that was kept as evidence. */
export type Artifact = {
  id: string;
  /** `screenshot`, `page`: the page as a picture or as text. `network`: the requests. `provenance`: the source of each extracted value. `download`: a file from the site. */
  kind: "screenshot" | "page" | "network" | "provenance" | "download";
  /** A suggested file name. */
  name: string;
  /** The media type. */
  content_type: string;
  /** The size in bytes. */
  bytes: number;
  /** The SHA-256 of the content in hexadecimal. */
  sha256: string;
  /** ISO 8601, UTC. */
  created_at: string;
};

/** The connection that a token belongs to. */
export type Connection = {
  id: string;
  /** The application that the user connected. */
  application_id: string;
  /** The user who connected. */
  user_id: string;
  /** `REAUTHORIZATION_REQUIRED`: nothing runs until the user has signed in or consented again. Send them through the authorization link. */
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  /** `commits`: the application or the user wants runs to wait for a person before anything is bought, sent, published or deleted. */
  approval: "never" | "commits";
  /** What a verified execution costs the application's owner. */
  execution_credits: number;
  /** Whether the owner's balance is enough for another execution. */
  has_credits: boolean;
};

/** A user's connection, as the owner of the application sees it. */
export type ApplicationConnection = {
  id: string;
  /** The user who connected. */
  user_id: string;
  /** The user's email address. */
  user_email: string;
  /** `REAUTHORIZATION_REQUIRED`: nothing runs until the user has signed in or consented again. Send them through the authorization link. */
  state: "ACTIVE" | "REAUTHORIZATION_REQUIRED";
  /** When the user last signed in to the site. Null without a saved sign-in. */
  signed_in_at: string | null;
  /** The newest execution. Null if there is none. */
  last_execution: {
    id: string;
    status: string;
    /** ISO 8601, UTC. */
    created_at: string;
  } | null;
  /** ISO 8601, UTC. */
  created_at: string;
};

/** What an execution wants of a person. */
export type Interaction = {
  id: string;
  /** What is about to be done, what only the person knows, or why a person is needed. */
  message: string;
  /** The page that the run is on. */
  url: string;
  /** The total, as the page states it. */
  amount: {
    value: number;
    /** ISO 4217. */
    currency: string;
  } | null;
  /** Who gets it. */
  recipient: string | null;
  /** What it is about. */
  items: Array<string>;
  /** What will be sent. Secrets are masked. */
  values: Array<{
    name: string;
    value: string;
  }>;
  /** The possible answers to a question; empty if any text is fine. */
  options: Array<string>;
  /** The answer is a one-time code or another secret. It is not kept. */
  is_secret: boolean;
  /** The page as it is, and the place that is about to be acted on. */
  picture: {
    /** A screenshot among the execution's artifacts. */
    artifact_id: string;
    /** In pixels of the picture. */
    mark: {
      x: number;
      y: number;
      width: number;
      height: number;
    } | null;
  } | null;
  kind: "approval" | "question" | "takeover";
  /** `expired`: nobody answered in time. `closed`: the execution ended first. */
  state: "open" | "answered" | "expired" | "closed";
  answer: "approved" | "declined" | "answered" | "handed_back" | null;
  /** `link`: somebody who had the link and was not signed in. */
  answered_by: "application" | "link" | "user" | "owner" | null;
  /** A page for the person, made for phones, which works without an account. Anyone who has the link can answer. Null once it has ended. */
  link: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  expires_at: string;
};

export type Webhook = {
  id: string;
  /** Where messages are sent: an https URL of at most 2048 characters. */
  url: string;
  /** What this webhook is for. */
  description: string | null;
  /** The events to send. Null: all, including ones added in the future. */
  events: Array<"execution.completed" | "execution.failed" | "execution.interaction_required" | "connection.reauthorization_required" | "credits.low"> | null;
  /** Whether messages are sent. */
  enabled: boolean;
  /** When and why it was disabled. Null while it is enabled. */
  disabled: {
    /** ISO 8601, UTC. */
    at: string;
    /** `by_hand`: disabled by a person or the application. `gone`: the receiver responded with 410. */
    reason: "by_hand" | "gone";
  } | null;
  /** Messages are also signed with the previous secret until this time. Null if there is none. */
  previous_secret_until: string | null;
  /** ISO 8601, UTC. */
  created_at: string;
};

export type WebhookDelivery = {
  /** The same as the `webhook-id` header: `msg_…`. */
  id: string;
  type: "execution.completed" | "execution.failed" | "execution.interaction_required" | "connection.reauthorization_required" | "credits.low" | "ping";
  /** `pending`: waiting for the next attempt. `failed`: not delivered within three days. `canceled`: its subject was deleted, or the webhook was disabled. */
  state: "pending" | "delivered" | "failed" | "canceled";
  /** The execution it is about. */
  execution_id: string | null;
  /** The connection it is about. */
  connection_id: string | null;
  /** The time of the next attempt. Null if there is none. */
  next_attempt_at: string | null;
  /** The newest 50, newest first. */
  attempts: Array<{
    /** ISO 8601, UTC. */
    at: string;
    /** The receiver's HTTP status. Null if there was no response. */
    status: number | null;
    duration_ms: number;
    /** Why it failed. Null if it succeeded. */
    error: string | null;
  }>;
  /** ISO 8601, UTC. */
  created_at: string;
  /** ISO 8601, UTC. */
  finished_at: string | null;
};

/** The body of a request to a webhook. New types may be added: acknowledge those that you do not know. */
export type WebhookMessage = ExecutionCompletedMessage | ExecutionFailedMessage | InteractionRequiredMessage | ReauthorizationRequiredMessage | CreditsLowMessage | PingMessage;

/** It ended with a verified result. */
export type ExecutionCompletedMessage = {
  type: "execution.completed";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    connection_id: string;
    execution: CompletedExecution;
    /** The `metadata` of the create request; empty if there was none. */
    metadata: Record<string, string>;
    /** The recipe that it ran with. Null without one. */
    recipe: {
      id: string;
      version: number;
      /** `replayed`: to its end without a model. `healed`: a model took over. `failed`: it could not be followed. Null when the run did not get that far. */
      outcome: "replayed" | "healed" | "failed" | null;
    } | null;
  };
};

/** It ended without a verified result: it failed, was canceled, timed out, or its worker was lost. */
export type ExecutionFailedMessage = {
  type: "execution.failed";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    connection_id: string;
    execution: FailedExecution;
    /** The `metadata` of the create request; empty if there was none. */
    metadata: Record<string, string>;
    /** The recipe that it ran with. Null without one. */
    recipe: {
      id: string;
      version: number;
      /** `replayed`: to its end without a model. `healed`: a model took over. `failed`: it could not be followed. Null when the run did not get that far. */
      outcome: "replayed" | "healed" | "failed" | null;
    } | null;
  };
};

/** Somebody has to approve something, answer a question or take over. Pass the `link` on to them. */
export type InteractionRequiredMessage = {
  type: "execution.interaction_required";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    connection_id: string;
    execution_id: string;
    interaction: Interaction;
    /** The `metadata` of the create request; empty if there was none. */
    metadata: Record<string, string>;
  };
};

/** Nothing runs on the connection until the user has signed in or consented again. */
export type ReauthorizationRequiredMessage = {
  type: "connection.reauthorization_required";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    connection_id: string;
  };
};

/** The owner's balance fell to a limit. Sent once, and again only after credits were granted. */
export type CreditsLowMessage = {
  type: "credits.low";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    /** Credits that are left. */
    balance: number;
    /** The limit. */
    low_at: number;
  };
};

/** Somebody requested it to test the webhook. */
export type PingMessage = {
  type: "ping";
  /** When it happened. */
  timestamp: string;
  data: {
    application_id: string;
    webhook_id: string;
  };
};

export type Error = {
  error: {
    /**
     * Stable. Use this to handle errors.
     *
     * - `INVALID_REQUEST`: A field, a header, a query parameter or the JSON itself is not valid. Fix what `details` lists. Sending the same request again gives the same error.
     * - `INVALID_CURSOR`: `after` is not the id of an entry in this list. Pass the id of the last entry of the previous page, or start again without `after`.
     * - `UNAUTHENTICATED`: There are no credentials, or they are unknown or were revoked. Send the right credentials. If a connection's token was revoked, send the user through the authorization link again.
     * - `INSUFFICIENT_CREDITS`: The application's owner has fewer credits than an execution costs. The owner needs more credits. The same request with the same `Idempotency-Key` works after that.
     * - `APPLICATION_MISMATCH`: The credentials belong to another application than the one in the path. Use the id of the application that the credentials were issued for.
     * - `FORBIDDEN`: The credentials are valid but do not allow this. Use credentials with the necessary scope. The message names it.
     * - `EXECUTION_NOT_FOUND`: The connection has no execution with this id. It may belong to another connection, or it was deleted. Use the token of the connection that the execution was created with.
     * - `NOT_FOUND`: There is nothing at this path, or nothing with this id that you may see. Check the path and the ids.
     * - `METHOD_NOT_ALLOWED`: The path exists, but not with this method. Use a method from the `Allow` header.
     * - `REQUEST_TIMEOUT`: The request took too long to arrive. Send it again over a better connection.
     * - `IDEMPOTENCY_KEY_REUSED`: The `Idempotency-Key` was already used on this connection with a different body. Use a new key for a new request, or the original body for a retry.
     * - `CONNECTION_REAUTHORIZATION_REQUIRED`: The user has to sign in or consent again before anything runs for them. Send the user through the authorization link, then create the execution again.
     * - `EXECUTION_FINISHED`: The execution has already ended, so that it can neither be canceled nor watched. Get the execution to see how it ended.
     * - `EXECUTION_NOT_FINISHED`: The evidence was requested before the execution ended. Wait until the execution has ended. Its events show its progress.
     * - `INTERACTION_ENDED`: Somebody else was faster, the time was up, or the execution has ended. Get the interaction or the execution to see what was decided.
     * - `ALREADY_CLAIMED`: The installation already has its first owner. Sign in with that account.
     * - `RECIPE_CHANGED`: The recipe has a newer version than the one that was changed. Load the newest version and make the changes again.
     * - `RECIPE_EXISTS`: There is a recipe with this template, start URL and output schema already. Change that one, or delete it first.
     * - `RECIPE_NOT_POSSIBLE`: The execution cannot be saved as a recipe: it was not verified, or its run cannot be repeated without a model. The message says why. A recipe can also be written by hand and imported.
     * - `SECRET_JUST_ROTATED`: The webhook's previous secret is still valid, and another rotation would end it at once. Wait until it has expired, or rotate with `force=true`.
     * - `GONE`: The content was deleted, for example because its retention period is over. It cannot be recovered.
     * - `PAYLOAD_TOO_LARGE`: The body exceeds 1 MiB, or 64 KiB for a form. Send a smaller body.
     * - `URI_TOO_LONG`: The URL is too long. Send a shorter one.
     * - `UNSUPPORTED_MEDIA_TYPE`: The body has another content type than the one that is accepted here. Send the content type that the message names.
     * - `RATE_LIMITED`: There were too many requests, open streams or queued executions. Wait for the seconds in `Retry-After`, then send the same request again.
     * - `HEADERS_TOO_LARGE`: The request's headers are too large. Send fewer or shorter headers.
     * - `INTERNAL`: There is a bug in Errand. Report it with the `request_id`: the service's log has the details. A create can be repeated safely with its `Idempotency-Key`.
     * - `UNAVAILABLE`: The service is overloaded, or cannot reach its database. Wait for the seconds in `Retry-After`, then send the same request again.
     */
    code: "INVALID_REQUEST" | "INVALID_CURSOR" | "UNAUTHENTICATED" | "INSUFFICIENT_CREDITS" | "APPLICATION_MISMATCH" | "FORBIDDEN" | "EXECUTION_NOT_FOUND" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "IDEMPOTENCY_KEY_REUSED" | "CONNECTION_REAUTHORIZATION_REQUIRED" | "EXECUTION_FINISHED" | "EXECUTION_NOT_FINISHED" | "INTERACTION_ENDED" | "ALREADY_CLAIMED" | "RECIPE_CHANGED" | "RECIPE_EXISTS" | "RECIPE_NOT_POSSIBLE" | "SECRET_JUST_ROTATED" | "GONE" | "PAYLOAD_TOO_LARGE" | "URI_TOO_LONG" | "UNSUPPORTED_MEDIA_TYPE" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UNAVAILABLE";
    /** For developers: what went wrong and what to do next. */
    message: string;
    /** Each error in the request. */
    details?: Array<{
      /** The field, header or parameter. */
      path: string;
      /** What is wrong with it. */
      message: string;
    }>;
    /** Also in the `X-Request-Id` header. The service's log has it. */
    request_id: string;
  };
};

export type OAuthError = {
  /** A code of RFC 6749. */
  error: "invalid_grant" | "invalid_request" | "unsupported_grant_type" | "invalid_client" | "server_error" | "temporarily_unavailable";
  /** For developers: what went wrong and what to do next. */
  error_description: string;
};

/** The operations of the API, by id. */
export interface Operations {
  /** Create an execution */
  createExecution: {
    body: {
      /** The task in plain language: 1 to 20000 characters, not blank. */
      prompt: string;
      /** An http or https URL of at most 2048 characters. Default: the application's home page. */
      start_url?: string | null;
      /** A JSON Schema (2020-12) for `result.extracted`: an object, at most 64 KiB, 32 levels deep, without remote references. */
      output_schema?: {
        [name: string]: unknown;
      } | null;
      /** `commits`: the run waits for a person before anything is bought, sent, published or deleted. It can only make the run stricter: `never` does not lift what the application or the user wants. Default: what they want. */
      approval?: "never" | "commits" | null;
      /** Your own data, which comes back in the execution's events and webhooks: at most 16 pairs, names of 1 to 40 characters and values of at most 500. It is not part of the execution. Don't put secrets in it. */
      metadata?: Record<string, string> | null;
      /** `auto`: if exactly one recipe matches the prompt, the execution runs with it, without a model. `off`: none is used, and none is learned. Or the id of a recipe, which is then used; `start_url` and `output_schema` are those of the recipe. Default: `auto`. */
      recipe?: string | null;
      /** With the id of a recipe: a value for each of its variables. `prompt` is then the recipe's template, with or without the values in it. Without `variables`, the values are taken from the prompt. */
      variables?: Record<string, string> | null;
    };
    response: {
      execution: Execution;
    };
  };
  /** List executions */
  listExecutions: {
    query: {
      /** How many to return. */
      limit?: number;
      /** The id of the last execution on the previous page. */
      after?: string;
      /** Only executions in this state. */
      status?: "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED";
    };
    response: {
      /** Newest first. */
      executions: Array<Execution>;
      /** Whether there are more. Pass the last id as `after` to get them. */
      has_more: boolean;
    };
  };
  /** Get an execution */
  getExecution: {
    query: {
      /** Respond when the execution has ended, or after this many seconds. */
      wait?: number;
    };
    response: {
      execution: Execution;
    };
  };
  /** Cancel an execution */
  cancelExecution: {
    response: {
      execution: Execution;
    };
  };
  /** Follow an execution's events */
  listExecutionEvents: {
    query: {
      /** Only events after this id. */
      after?: number;
      /** How many to return. */
      limit?: number;
    };
    response: {
      /** Oldest first. */
      events: Array<ExecutionEvent>;
      /** Whether there are more right now. Pass the last id as `after` to get them. */
      has_more: boolean;
    };
  };
  /** Get an execution's evidence */
  getExecutionEvidence: {
    response: {
      /** As `result.evidence`, also for failed executions. */
      evidence: {
        /** URLs visited or cited. */
        urls: Array<string>;
        verifier: Verdict | null;
        /** Everything the execution changed. Empty if it changed nothing. */
        side_effects: Array<SideEffect>;
      };
      /** Screenshots and other files, oldest first. */
      artifacts: Array<Artifact>;
    };
  };
  /** List an execution's artifacts */
  listExecutionArtifacts: {
    response: {
      /** Oldest first. */
      artifacts: Array<Artifact>;
    };
  };
  /** Get an artifact */
  getExecutionArtifact: {
    response: string;
  };
  /** Get a link to watch an execution live */
  createExecutionLiveLink: {
    response: {
      /** A page that shows the browser of the execution live, without input. Open it, or embed it in a page of an origin that is among the application's redirect URIs. Anyone who has the link can watch. */
      url: string;
      /** The page must be opened before this time. An open page shows the execution to its end. */
      expires_at: string;
    };
  };
  /** Get what an execution asks */
  getExecutionInteraction: {
    response: {
      interaction: Interaction | null;
    };
  };
  /** Approve, decline or answer */
  answerExecutionInteraction: {
    body: {
      /** The interaction's id, so that nobody answers another one than they have seen. */
      id: string;
      /** `approve` or `decline` an approval, `answer` or `decline` a question, `hand_back` or `decline` a takeover. */
      action: "approve" | "decline" | "answer" | "hand_back";
      /** Only with `answer`: 1 to 1000 characters, or one of the `options`. */
      text?: string;
    };
    response: {
      interaction: Interaction;
    };
  };
  /** Get the token's connection */
  getConnection: {
    response: {
      connection: Connection;
    };
  };
  /** Create a webhook */
  createWebhook: {
    body: {
      /** Where messages are sent: an https URL of at most 2048 characters. */
      url: string;
      /** What this webhook is for. */
      description?: string | null;
      /** The events to send. Null: all, including ones added in the future. */
      events?: Array<"execution.completed" | "execution.failed" | "execution.interaction_required" | "connection.reauthorization_required" | "credits.low"> | null;
    };
    response: {
      webhook: Webhook;
      /** The key that signs messages: `whsec_…`. Shown only once. */
      secret: string;
    };
  };
  /** List webhooks */
  listWebhooks: {
    response: {
      /** Oldest first. */
      webhooks: Array<Webhook>;
    };
  };
  /** Get a webhook */
  getWebhook: {
    response: {
      webhook: Webhook;
    };
  };
  /** Update a webhook */
  updateWebhook: {
    body: {
      /** Where messages are sent: an https URL of at most 2048 characters. */
      url?: string;
      /** What this webhook is for. */
      description?: string | null;
      /** The events to send. Null: all, including ones added in the future. */
      events?: Array<"execution.completed" | "execution.failed" | "execution.interaction_required" | "connection.reauthorization_required" | "credits.low"> | null;
      /** False stops the webhook and cancels pending messages. True resumes it. */
      enabled?: boolean;
    };
    response: {
      webhook: Webhook;
    };
  };
  /** Delete a webhook */
  deleteWebhook: {
    response: undefined;
  };
  /** Rotate a webhook's secret */
  rotateWebhookSecret: {
    query: {
      /** Rotate even while a previous secret is still valid. That secret stops working immediately. */
      force?: "true" | "false";
    };
    response: {
      webhook: Webhook;
      /** The key that signs messages: `whsec_…`. Shown only once. */
      secret: string;
    };
  };
  /** Ping a webhook */
  pingWebhook: {
    response: {
      delivery: WebhookDelivery;
    };
  };
  /** List a webhook's deliveries */
  listDeliveries: {
    query: {
      /** How many to return. */
      limit?: number;
      /** The id of the last delivery on the previous page. */
      after?: string;
      /** `undelivered`: pending, failed and canceled messages. */
      only?: "undelivered";
    };
    response: {
      /** Newest first. */
      deliveries: Array<WebhookDelivery>;
      /** Whether there are more. Pass the last id as `after` to get them. */
      has_more: boolean;
    };
  };
  /** Resend a message */
  resendDelivery: {
    response: {
      delivery: WebhookDelivery;
    };
  };
  /** List an application's connections */
  listConnections: {
    query: {
      /** How many to return. */
      limit?: number;
      /** The id of the last connection on the previous page. */
      after?: string;
      /** Only users whose email address contains this. */
      user_email?: string;
    };
    response: {
      /** Newest first. */
      connections: Array<ApplicationConnection>;
      /** Whether there are more. Pass the last id as `after` to get them. */
      has_more: boolean;
    };
  };
  /** Get the owner's balance */
  getBalance: {
    response: {
      balance: {
        /** What is left, without what running executions have reserved. */
        credits: number;
        /** What a verified execution costs. */
        execution_credits: number;
      };
    };
  };
  /** Exchange a code for a token */
  exchangeCode: {
    body: {
      /** `authorization_code`. */
      grant_type: string;
      /** The authorization code. Valid once, for five minutes. */
      code: string;
      /** The redirect URI that the code was sent to. */
      redirect_uri: string;
      /** For public applications. */
      client_id?: string;
      /** For confidential applications that cannot use HTTP Basic. */
      client_secret?: string;
      /** Required if the authorization link had a `code_challenge`. */
      code_verifier?: string;
      /** For MCP clients (RFC 8707): as in the authorization link. */
      resource?: string;
    };
    response: {
      /** Does not expire. There is no refresh token. */
      access_token: string;
      token_type: "Bearer";
      connection_id: string;
      user_id: string;
    };
  };
  /** Revoke a token */
  revokeToken: {
    body: {
      /** The connection access token to revoke. */
      token: string;
      /** For public applications. */
      client_id?: string;
      /** For confidential applications that cannot use HTTP Basic. */
      client_secret?: string;
    };
    response: Record<string, never>;
  };
  /** Authorization server metadata */
  getAuthorizationServerMetadata: {
    response: {
      issuer: string;
      authorization_endpoint: string;
      token_endpoint: string;
      revocation_endpoint: string;
      response_types_supported: Array<string>;
      response_modes_supported: Array<string>;
      grant_types_supported: Array<string>;
      token_endpoint_auth_methods_supported: Array<string>;
      revocation_endpoint_auth_methods_supported: Array<string>;
      code_challenge_methods_supported: Array<string>;
      authorization_response_iss_parameter_supported: boolean;
      client_id_metadata_document_supported: boolean;
      service_documentation: string;
    };
  };
  /** Authorization link */
  authorize: {
    query: {
      /** `code`. */
      response_type: string;
      /** The application's id. */
      client_id: string;
      /** One of the application's redirect URIs, exactly. A loopback URI may have a different port. */
      redirect_uri: string;
      /** Returned unchanged. */
      state?: string;
      /** PKCE: the S256 challenge. */
      code_challenge?: string;
      /** `S256`. Required with a challenge. */
      code_challenge_method?: string;
      /** The email address to fill in on the sign-in page. */
      login_hint?: string;
      /** For MCP clients (RFC 8707): the URL of the MCP server that the token is for. */
      resource?: string;
    };
    response: string;
  };
}
