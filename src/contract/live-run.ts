import { type Static, Type } from "typebox";
import { type LiveInput, LiveInput as LiveInputSchema } from "./live-view.ts";
import { DateTime } from "./schema-parts.ts";

/** A link to the live view of an execution. */
export const LiveLink = Type.Object(
  {
    url: Type.String({
      format: "uri",
      description:
        "A page that shows the browser of the execution live, without input. Open it, or embed it in a page of an origin that is among the application's redirect URIs. Anyone who has the link can watch.",
    }),
    expires_at: Type.Unsafe<string>({
      ...DateTime,
      description: "The page must be opened before this time. An open page shows the execution to its end.",
    }),
  },
  { additionalProperties: false, description: "The link." },
);
export type LiveLink = Static<typeof LiveLink>;

type InPage = "pointer" | "wheel" | "touch" | "key" | "text" | "paste";
const IN_PAGE: ReadonlySet<string> = new Set<InPage>(["pointer", "wheel", "touch", "key", "text", "paste"]);
const closed = { additionalProperties: false };

/** What a person can do in the browser of a run: no more than in its page. */
export const RunInput = Type.Unsafe<Extract<LiveInput, { type: InPage }>>({
  anyOf: LiveInputSchema.anyOf.filter(({ properties }) => IN_PAGE.has(properties.type.const)),
});
export type RunInput = Static<typeof RunInput>;

/** Messages on the WebSocket of a live view of a run: from the page. Pictures come as in `live-view.ts`. */
export const RunViewerMessage = Type.Union([
  /** The picture with this number has been drawn: the next may be sent. */
  Type.Object({ type: Type.Literal("drawn"), number: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }) }, closed),
  /** `holder` is the page's own random id, so that it stays in control when its connection drops for a moment. */
  Type.Object({ type: Type.Literal("take_over"), holder: Type.String({ format: "uuid", maxLength: 36 }) }, closed),
  Type.Object({ type: Type.Literal("hand_back") }, closed),
  Type.Object({ type: Type.Literal("input"), input: RunInput }, closed),
]);
export type RunViewerMessage = Static<typeof RunViewerMessage>;

/** The page that the picture shows. */
export interface LiveRunPage {
  readonly url: string;
}

/** Messages from the service except pictures. */
export type RunServiceMessage =
  | { readonly type: "welcome"; readonly ticket: string }
  | { readonly type: "page"; readonly page: LiveRunPage }
  /**
   * Who uses the browser: the run, this person (pausing: the run finishes what it is doing first), or another person.
   * Nobody can take over while the run is asking something else.
   */
  | { readonly type: "control"; readonly state: "run" | "asking" | "pausing" | "yours" | "another" }
  /** The execution has ended. */
  | { readonly type: "over" };
