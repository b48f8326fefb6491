// Generated from docs/openapi.json by scripts/generate-sdk-types.ts. Do not edit.

export type Execution = {
  id: string;
  /** `QUEUED` → `RUNNING` → `COMPLETED` or `FAILED`. The last two are final. */
  status: "QUEUED" | "RUNNING" | "COMPLETED" | "FAILED";
  /** The outcome. Null until the execution has ended. */
  terminal: {
    /** `verified` when `COMPLETED`, otherwise why it failed. */
    status: "verified" | "unverified" | "goal_unreachable" | "reauthorization_required" | "blocked" | "policy_violation" | "output_schema_mismatch" | "step_limit" | "timed_out" | "canceled" | "approval_declined" | "approval_expired" | "interaction_expired" | "site_error" | "model_error" | "unsupported_prompt" | "worker_lost" | "internal_error";
    /** The outcome in a sentence. */
    reason: string;
  } | null;
  /** The prompt as it was sent. */
  prompt: string;
  /** The URL where the execution starts. */
  start_url: string | null;
  /** The schema as it was sent. */
  output_schema: {
    [name: string]: unknown;
  } | null;
  result: {
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
      verifier: {
        /** Whether the independent verifier agreed. */
        agreed: boolean;
        /** Why it agreed or not. */
        reason: string;
      };
      /** Everything the execution changed. Empty if it changed nothing. */
      side_effects: Array<{
        /** The kind of effect: a request, a form submission, a download, … */
        type: string;
        /** What was done, in words: what, how much, for whom, and the site's reference. */
        description?: string;
        [name: string]: unknown;
      }>;
    };
  } | null;
  /** Set on every `FAILED` execution. */
  error: {
    /** Stable, in capitals. */
    code: string;
    /** What happened and what to do next. */
    message: string;
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
  /** ISO 8601, UTC. */
  completed_at: string | null;
};

export type Interaction = {
  id: string;
  kind: "approval" | "question" | "takeover";
  /** `expired`: nobody answered in time. `closed`: the execution ended first. */
  state: "open" | "answered" | "expired" | "closed";
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

export type Error = {
  error: {
    /** Stable. Use this to handle errors. */
    code: string;
    /** For developers: what went wrong and what to do next. */
    message: string;
    /** Each error in the request. */
    details?: Array<{
      path: string;
      message: string;
    }>;
    /** Also in the `X-Request-Id` header. */
    request_id: string;
  };
};

export type OAuthError = {
  /** An error code of RFC 6749, such as `invalid_grant`. */
  error: string;
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
      events: Array<{
        /** 1, 2, 3, … within its execution. */
        id: number;
        type: "execution.queued" | "execution.started" | "step" | "interaction" | "verification" | "execution.completed" | "execution.failed";
        at: string;
        /** Depends on the type. `step`: action, outcome and side effects. `interaction`: what a person is asked, and how it was answered. `verification`: the verdict and its checks. The last event: the outcome and, for failures, `side_effects` and `verifier` where available. About 64 KiB at most; longer data is truncated and marked as such. */
        data: {
          [name: string]: unknown;
        };
      }>;
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
        /** Null when the execution ended before it was verified. */
        verifier: {
          /** Whether the independent verifier agreed. */
          agreed: boolean;
          /** Why it agreed or not. */
          reason: string;
        } | null;
        /** Everything the execution changed. Empty if it changed nothing. */
        side_effects: Array<{
          /** The kind of effect: a request, a form submission, a download, … */
          type: string;
          /** What was done, in words: what, how much, for whom, and the site's reference. */
          description?: string;
          [name: string]: unknown;
        }>;
      };
      /** Screenshots and other files, oldest first. */
      artifacts: Array<{
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
      }>;
    };
  };
  /** List an execution's artifacts */
  listExecutionArtifacts: {
    response: {
      /** Oldest first. */
      artifacts: Array<{
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
      }>;
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
    };
    response: undefined;
  };
}

/** The messages of webhooks, by type. */
export interface WebhookMessages {
}
