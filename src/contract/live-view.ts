import { type Static, Type } from "typebox";

/**
 * What goes over the socket of a live sign-in. The person's page sends JSON; the service sends JSON and, as binary
 * messages, pictures: four bytes number, two bytes width and two bytes height of the site's viewport in CSS pixels (big
 * endian), then a JPEG.
 */
export const FRAME_HEADER_BYTES = 8;

const closed = { additionalProperties: false };
const coordinate = Type.Number({ minimum: -10_000, maximum: 10_000 });
const text = (maxLength: number) => Type.String({ maxLength });

/** Shift 8, Meta 4, Control 2, Alt 1, as in the DevTools protocol. */
const modifiers = Type.Integer({ minimum: 0, maximum: 15 });

/** What a person does in the picture, in CSS pixels of the site's viewport. */
export const LiveInput = Type.Union([
  Type.Object(
    {
      type: Type.Literal("pointer"),
      kind: Type.Union([Type.Literal("move"), Type.Literal("down"), Type.Literal("up")]),
      x: coordinate,
      y: coordinate,
      button: Type.Union([Type.Literal("none"), Type.Literal("left"), Type.Literal("middle"), Type.Literal("right")]),
      /** Which are down, as in `MouseEvent.buttons`. */
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
      /** `KeyboardEvent.key`: with one character, what it writes. */
      key: text(32),
      code: text(32),
      modifiers,
      isRepeat: Type.Boolean(),
    },
    closed,
  ),
  /** What no single key wrote: dead keys, input methods, keyboards on glass. */
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
  /** Takes one of the offered choices; null closes the list. */
  Type.Object(
    { type: Type.Literal("choose"), index: Type.Union([Type.Integer({ minimum: 0, maximum: 10_000 }), Type.Null()]) },
    closed,
  ),
]);
export type LiveInput = Static<typeof LiveInput>;

/** Everything that the person's page may send. */
export const ViewerMessage = Type.Union([
  /** First of all: how large the picture may be, and whether there is a touch screen. */
  Type.Object(
    {
      type: Type.Literal("hello"),
      width: Type.Integer({ minimum: 200, maximum: 1_920 }),
      height: Type.Integer({ minimum: 200, maximum: 1_600 }),
      isTouch: Type.Boolean(),
    },
    closed,
  ),
  /** The picture with this number has been drawn: another may be sent. */
  Type.Object({ type: Type.Literal("drawn"), number: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }) }, closed),
  Type.Object({ type: Type.Literal("confirm") }, closed),
  Type.Object({ type: Type.Literal("cancel") }, closed),
  Type.Object({ type: Type.Literal("input"), input: LiveInput }, closed),
]);
export type ViewerMessage = Static<typeof ViewerMessage>;

/** The page that the picture shows. */
export interface LivePage {
  /** Its whole address, as the network knows it. */
  readonly url: string;
  readonly title: string;
  /** Whether it came over https without a mistake in its certificate. */
  readonly isSecure: boolean;
  readonly isLoading: boolean;
  readonly canGoBack: boolean;
  readonly tabs: readonly { readonly id: string; readonly title: string; readonly isCurrent: boolean }[];
  /** Why the page could not be opened, in words; null when it could. */
  readonly failure: string | null;
}

/** The field of the site that has the keyboard. */
export interface LiveField {
  readonly kind: "text" | "password" | "email" | "tel" | "numeric" | "url" | "search";
  readonly label: string;
}

/** A dialog of the browser's own; the page stands still until it is answered. */
export interface LiveDialog {
  readonly kind: "alert" | "confirm" | "prompt" | "beforeunload";
  readonly message: string;
  readonly defaultText: string;
}

/** A drop-down list of the site, which a picture does not show. */
export interface LiveChoices {
  readonly label: string;
  readonly options: readonly { readonly label: string; readonly isChosen: boolean; readonly isDisabled: boolean }[];
}

/** How far the sign-in is. `message` is for the person. */
export type LivePhase =
  | { readonly phase: "opening" }
  | { readonly phase: "signing_in" }
  /** The site seems to know the person: the button to finish stands out. */
  | { readonly phase: "looks_signed_in" }
  | { readonly phase: "checking" }
  /** The check said no, with what to do next. */
  | { readonly phase: "not_signed_in"; readonly message: string };

/** Everything that the service may send, besides pictures. */
export type ServiceMessage =
  /** `ticket` opens the socket once more, should it drop. */
  | { readonly type: "welcome"; readonly ticket: string }
  | { readonly type: "page"; readonly page: LivePage }
  | { readonly type: "field"; readonly field: LiveField | null }
  | { readonly type: "dialog"; readonly dialog: LiveDialog | null }
  | { readonly type: "choices"; readonly choices: LiveChoices | null }
  | ({ readonly type: "phase" } & LivePhase)
  /** Nobody has done anything for a while: it ends in so many seconds; null when somebody has. */
  | { readonly type: "idle"; readonly endsInSeconds: number | null }
  /** It is over, and the person goes on to `to`; `message` says why when it did not succeed. */
  | { readonly type: "over"; readonly to: string; readonly message: string | null };
