import type { BrowserContext, Dialog } from "playwright-core";
import type { PendingDialog } from "../observation/observation.ts";
import type { Mark, SessionEvents } from "./browser-session.ts";
import type { SessionLimits } from "./session-options.ts";
import { isAfter, Pulse, type Timeline } from "./timeline.ts";

type Answer = "accepted" | "dismissed";

interface Entry {
  at: number;
  dialog: PendingDialog;
  answer: Answer | null;
}

const MAX_TEXT = 2_000;

/** Native dialogs (alert, confirm, prompt). One is open at a time, and it blocks its page. */
export class Dialogs {
  readonly #timeline: Timeline;
  readonly #limits: SessionLimits;
  readonly #entries: Entry[] = [];
  #open: { source: Dialog; entry: Entry } | null = null;
  readonly opened = new Pulse();

  constructor(timeline: Timeline, limits: SessionLimits) {
    this.#timeline = timeline;
    this.#limits = limits;
  }

  watch(context: BrowserContext): void {
    context.on("dialog", (dialog) => this.#receive(dialog));
    // Its page was closed or has navigated.
    context.on("dialogclosed", (dialog) => {
      if (this.#open?.source !== dialog) return;
      this.#open.entry.answer = "dismissed";
      this.#open = null;
    });
  }

  get pending(): PendingDialog | null {
    return this.#open?.entry.dialog ?? null;
  }

  /** The dialog counts as answered from the moment of the call. Does nothing when none is open. */
  async answer({ accept, text }: { accept: boolean; text?: string }): Promise<void> {
    if (this.#open === null) return;
    const { source, entry } = this.#open;
    this.#open = null;
    entry.answer = accept ? "accepted" : "dismissed";
    await (accept ? source.accept(text) : source.dismiss());
  }

  since(mark: Mark): SessionEvents["dialogs"] {
    return this.#entries.filter(({ at }) => isAfter(at, mark)).map(({ dialog, answer }) => ({ dialog, answer }));
  }

  #receive(source: Dialog): void {
    const kind = source.type();
    if (kind === "beforeunload") {
      // A navigation is intended, so leaving is confirmed.
      close(source, "accepted");
    } else if (this.#entries.length >= this.#limits.maxDialogs) {
      // A page could open dialogs forever.
      close(source, "dismissed");
    } else {
      this.#add(source, {
        kind: kind === "confirm" || kind === "prompt" ? kind : "alert",
        message: source.message().slice(0, MAX_TEXT),
        defaultText: source.defaultValue().slice(0, MAX_TEXT),
      });
    }
  }

  /** A second dialog at the same time comes from another tab. It is dismissed. */
  #add(source: Dialog, dialog: PendingDialog): void {
    const isSecond = this.#open !== null;
    const entry: Entry = { at: this.#timeline.next(), dialog, answer: isSecond ? "dismissed" : null };
    this.#entries.push(entry);
    if (isSecond) {
      close(source, "dismissed");
      return;
    }
    this.#open = { source, entry };
    this.opened.fire();
  }
}

/** Fails when its page is gone by now, which is fine. */
function close(dialog: Dialog, answer: Answer): void {
  (answer === "accepted" ? dialog.accept() : dialog.dismiss()).catch(() => {});
}
