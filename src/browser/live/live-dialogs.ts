import type { BrowserContext, Dialog } from "playwright-core";
import type { LiveDialog } from "./live-browser.ts";

const MAX_TEXT = 2_000;

/** Native dialogs for the person to answer. Those of several tabs are shown one after another. */
export class LiveDialogs {
  readonly #onShown: (dialog: LiveDialog | null) => void;
  readonly #open: Dialog[] = [];
  /** Whether "Leave this page?" dialogs are confirmed without asking: during our own navigations. */
  allowsLeaving = false;

  constructor(context: BrowserContext, onShown: (dialog: LiveDialog | null) => void) {
    this.#onShown = onShown;
    context.on("dialog", (dialog) => {
      if (dialog.type() === "beforeunload" && this.allowsLeaving) {
        dialog.accept().catch(() => {});
        return;
      }
      this.#open.push(dialog);
      if (this.#open.length === 1) this.#show();
    });
    // Its page was closed or has navigated.
    context.on("dialogclosed", (dialog) => this.#remove(dialog));
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  answer(accept: boolean, text: string): void {
    const [dialog] = this.#open;
    if (dialog === undefined) return;
    this.#remove(dialog);
    // Fails when its page is gone by now, which is fine.
    (accept ? dialog.accept(text) : dialog.dismiss()).catch(() => {});
  }

  #remove(dialog: Dialog): void {
    const index = this.#open.indexOf(dialog);
    if (index < 0) return;
    this.#open.splice(index, 1);
    if (index === 0) this.#show();
  }

  #show(): void {
    const [dialog] = this.#open;
    this.#onShown(dialog === undefined ? null : describe(dialog));
  }
}

function describe(dialog: Dialog): LiveDialog {
  const kind = dialog.type();
  return {
    kind: kind === "confirm" || kind === "prompt" || kind === "beforeunload" ? kind : "alert",
    message: dialog.message().slice(0, MAX_TEXT),
    defaultText: dialog.defaultValue().slice(0, MAX_TEXT),
  };
}
