import { type Static, Type } from "typebox";

export const EVENT_TYPES = [
  "execution.queued",
  "execution.started",
  "step",
  "verification",
  "execution.completed",
  "execution.failed",
] as const;

export const ExecutionEvent = Type.Object({
  id: Type.Integer({ description: "1, 2, 3, … within its execution." }),
  type: Type.Unsafe<(typeof EVENT_TYPES)[number]>({ type: "string", enum: EVENT_TYPES }),
  at: Type.String({ format: "date-time" }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: true,
    description:
      "What happened: of a `step` its action, outcome and side effects; of a `verification` the verdict and its checks; of the last event the outcome and, when it failed, `side_effects` and `verifier` if there is anything to say. At most 64 KiB or so: what is longer is cut, and says so.",
  }),
});
export type ExecutionEvent = Static<typeof ExecutionEvent>;

export const ExecutionEventPage = Type.Object(
  {
    events: Type.Array(ExecutionEvent, { description: "Oldest first." }),
    has_more: Type.Boolean({ description: "Whether more follow at this moment: pass the last id as `after`." }),
  },
  { description: "One page, or the stream." },
);
export type ExecutionEventPage = Static<typeof ExecutionEventPage>;

export const EVENTS_DEFAULT_LIMIT = 100;

export const ListEventsQuery = Type.Object(
  {
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: "Only events after this id." }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, default: EVENTS_DEFAULT_LIMIT, description: "How many to return." }),
    ),
  },
  { additionalProperties: false },
);
