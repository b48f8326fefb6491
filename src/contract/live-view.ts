import { type Static, Type } from "typebox";

/**
 * The messages on the WebSocket of a live sign-in. The person's page sends JSON. The service sends JSON and binary frames:
 * four bytes frame number, two bytes width and two bytes height of the site's viewport in CSS pixels (big endian), a JPEG.
 */
export const FRAME_HEADER_BYTES = 8;

const closed = { additionalProperties: false };
const coordinate = Type.Number({ minimum: -10_000, maximum: 10_000 });
const text = (maxLength: number) => Type.String({ maxLength });

/** Shift 8, Meta 4, Control 2, Alt 1, as in the DevTools protocol. */
const modifiers = Type.Integer({ minimum: 0, maximum: 15 });

/** What a person does in the picture. Coordinates are CSS pixels of the site's viewport. */
export const LiveInput = Type.Union([
  Type.Object(
    {
      type: Type.Literal("pointer"),
      kind: Type.Union([Type.Literal("move"), Type.Literal("down"), Type.Literal("up")]),
      x: coordinate,
      y: coordinate,
      button: Type.Union([Type.Literal("none"), Type.Literal("left"), Type.Literal("middle"), Type.Literal("right")]),
      /** The buttons that are down, as in `MouseEvent.buttons`. */
      buttons: Type.Integer({ minimum: 0, maximum: 31 }),
      clicks: Type.Integer({ minimum: 0, maximum: 3 }),
      modifiers,
    },
    closed,
  ),
  Type.Object(
    { type: Type.Literal("wheel"), x: coordinate, y: coordinate, dx: coordinate, dy: coordinate, modifiers },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal("touch"),
      kind: Type.Union([Type.Literal("start"), Type.Literal("move"), Type.Literal("end"), Type.Literal("cancel")]),
      /** All fingers that are still down. */
      points: Type.Array(
        Type.Object({ id: Type.Integer({ minimum: 0, maximum: 9 }), x: coordinate, y: coordinate }, closed),
        { maxItems: 10 },
      ),
      modifiers,
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal("key"),
      kind: Type.Union([Type.Literal("down"), Type.Literal("up")]),
      /** `KeyboardEvent.key`. A single character is typed as such. */
      key: text(32),
      code: text(32),
      modifiers,
      isRepeat: Type.Boolean(),
    },
    closed,
  ),
  /** Text that no single key typed: dead keys, input methods, on-screen keyboards. */
  Type.Object({ type: Type.Literal("text"), text: text(1_000) }, closed),
  Type.Object({ type: Type.Literal("paste"), text: text(10_000) }, closed),
  Type.Object(
    {
      type: Type.Literal("resize"),
      width: Type.Integer({ minimum: 200, maximum: 1_920 }),
      height: Type.Integer({ minimum: 200, maximum: 1_600 }),
    },
    closed,
  ),
  Type.Object({ type: Type.Literal("back") }, closed),
  Type.Object({ type: Type.Literal("reload") }, closed),
  Type.Object({ type: Type.Literal("choose_tab"), id: text(16) }, closed),
  Type.Object({ type: Type.Literal("close_tab"), id: text(16) }, closed),
  Type.Object({ type: Type.Literal("answer_dialog"), accept: Type.Boolean(), text: text(1_000) }, closed),
  /** Chooses an option of the list. Null closes the list. */
  Type.Object(
    { type: Type.Literal("choose"), index: Type.Union([Type.Integer({ minimum: 0, maximum: 10_000 }), Type.Null()]) },
    closed,
  ),
]);
export type LiveInput = Static<typeof LiveInput>;

/** All messages from the person's page. */
export const ViewerMessage = Type.Union([
  /** The first message: the size of the picture, and whether there is a touch screen. */
  Type.Object(
    {
      type: Type.Literal("hello"),
      width: Type.Integer({ minimum: 200, maximum: 1_920 }),
      height: Type.Integer({ minimum: 200, maximum: 1_600 }),
      isTouch: Type.Boolean(),
    },
    closed,
  ),
  /** The frame with this number has been drawn: the next may be sent. */
  Type.Object({ type: Type.Literal("drawn"), number: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }) }, closed),
  Type.Object({ type: Type.Literal("confirm") }, closed),
  Type.Object({ type: Type.Literal("cancel") }, closed),
  Type.Object({ type: Type.Literal("input"), input: LiveInput }, closed),
]);
export type ViewerMessage = Static<typeof ViewerMessage>;

/** The page that the picture shows. */
export interface LivePage {
  /** The full URL, with the host in punycode. */
  readonly url: string;
  readonly title: string;
  /** Whether it was loaded over https with a valid certificate. */
  readonly isSecure: boolean;
  readonly isLoading: boolean;
  readonly canGoBack: boolean;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly isCurrent: boolean }[];
  /** Why the page could not be opened. Null if it could. */
  readonly failure: string | null;
}

/** The focused field of the site. */
export interface LiveField {
  readonly kind: "text" | "password" | "email" | "tel" | "numeric" | "url" | "search";
  readonly label: string;
}

/** A browser dialog. The page is blocked until it is closed. */
export interface LiveDialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  readonly defaultText: string;
}

/** A drop-down list of the site. Frames do not include it. */
export interface LiveChoices {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly isChosen: boolean; readonly isDisabled: boolean }[];
}

/** The progress of the sign-in. `message` is shown to the person. */
export type LivePhase =
  | { readonly phase: "opening" }
  | { readonly phase: "signing_in" }
  /** The person seems to be signed in: the button to finish is highlighted. */
  | { readonly phase: "looks_signed_in" }
  | { readonly phase: "checking" }
  /** The check failed. The message says what to do next. */
  | { readonly phase: "not_signed_in"; readonly message: string };

/** All messages from the service except frames. */
export type ServiceMessage =
  /** `ticket` reopens the socket once if it drops. */
  | { readonly type: "welcome"; readonly ticket: string }
  | { readonly type: "page"; readonly page: LivePage }
  | { readonly type: "field"; readonly field: LiveField | null }
  | { readonly type: "dialog"; readonly dialog: LiveDialog | null }
  | { readonly type: "choices"; readonly choices: LiveChoices | null }
  | ({ readonly type: "phase" } & LivePhase)
  /** No input for a while: the sign-in ends in this many seconds. Null after new input. */
  | { readonly type: "idle"; readonly endsInSeconds: number | null }
  /** The sign-in has ended and the person goes to `to`. If it failed, `message` says why. */
  | { readonly type: "over"; readonly to: string; readonly message: string | null };
