import type { Application } from "../../applications/application.ts";
import type { LivePhase, ServiceMessage, ViewerMessage } from "../../contract/live-view.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import { SignInTooLarge } from "../vault/vault.ts";
import { FrameSender } from "./frame-sender.ts";
import type { LiveBrowser, OpenLiveBrowser } from "./live-browser.ts";
import { captureSignIn, isOnSite, looksSignedIn } from "./probe.ts";
import type { Refusal, Viewer, ViewerSession } from "./sign-in-attempts.ts";

export interface LiveSignInLimits {
  /** Without input; the person is warned before. */
  readonly idleMs: number;
  readonly idleWarningMs: number;
  /** How long a viewer that was lost may take to come back. */
  readonly graceMs: number;
  readonly totalMs: number;
  readonly checkMs: number;
}

interface LiveSignInOptions {
  readonly application: Application & { signInUrl: string };
  readonly openBrowser: OpenLiveBrowser;
  readonly limits: LiveSignInLimits;
  /** Saves the sign-in and says where the person goes; null when it had ended elsewhere, or nobody may go there any more. */
  readonly succeed: (signIn: SavedSignIn) => Promise<string | null>;
  readonly refuse: (refusal: Refusal, message: string) => Promise<string | null>;
  /** It is over, and nobody will come back for it. */
  readonly onGone: () => void;
  readonly logger: Logger;
}

/** One sign-in by hand: a browser, whoever watches it, and how far it is. */
export class LiveSignIn {
  readonly #options: LiveSignInOptions;
  readonly #closing = new AbortController();
  readonly #frames = new FrameSender();
  readonly #idle: IdleWatch;
  readonly #total: NodeJS.Timeout;
  /** The newest of each kind, for a viewer that comes later. */
  readonly #shown = new Map<ServiceMessage["type"], ServiceMessage>();
  #viewer: Viewer | null = null;
  #grace: NodeJS.Timeout | null = null;
  #opening: Promise<LiveBrowser | null> | null = null;
  #phase: LivePhase = { phase: "opening" };
  #isLooking = false;
  /** Where the last check said no: as long as the page stays, so does what was said. */
  #refusedAt: string | null = null;
  #url = "";
  #saving: Promise<string | null> | null = null;
  #ending: Promise<string | null> | null = null;

  constructor(options: LiveSignInOptions) {
    this.#options = options;
    const { limits } = options;
    this.#idle = new IdleWatch(limits, {
      warn: (endsInSeconds) => this.#tell({ type: "idle", endsInSeconds }),
      end: () => void this.end("access_denied", "Nobody did anything for a while, so the sign-in was ended."),
    });
    this.#total = setTimeout(
      () => void this.end("access_denied", "The sign-in took too long and was ended."),
      limits.totalMs,
    );
    this.#enter({ phase: "opening" });
    this.#startGrace();
  }

  /** It has no browser any more, and waits only for a viewer who has not heard yet. */
  get isOver(): boolean {
    return this.#ending !== null;
  }

  /** Nobody watches it; they may come back. */
  get isLeft(): boolean {
    return this.#viewer === null && !this.isOver;
  }

  /** The one before it, if there is one, has to go. */
  seat(viewer: Viewer): ViewerSession {
    this.#viewer?.close("replaced");
    this.#viewer = viewer;
    this.#stopGrace();
    for (const message of this.#shown.values()) viewer.send(message);
    if (this.#shown.has("over")) this.#dismiss();
    else this.#frames.attach((number, frame) => viewer.sendFrame(number, frame));
    return {
      receive: (message) => {
        if (this.#viewer === viewer) this.#receive(message);
      },
      leave: () => {
        if (this.#viewer !== viewer) return;
        this.#viewer = null;
        this.#frames.detach();
        this.#startGrace();
      },
    };
  }

  /** Nothing is saved. Of several reasons the first counts; where the person goes is the same for all. */
  end(refusal: Refusal, message: string): Promise<string | null> {
    this.#ending ??= this.#finish(async () => {
      // What is being saved at this moment counts.
      const saved = await this.#saving?.catch(() => null);
      return saved == null
        ? { to: await this.#options.refuse(refusal, message), message }
        : { to: saved, message: null };
    });
    return this.#ending;
  }

  /** Lets go of it without a decision: the person's page finds another process, and starts anew there. */
  async abandon(): Promise<void> {
    this.#ending ??= this.#letGo();
    await this.#ending;
    this.#stopGrace();
    this.#options.onGone();
  }

  #receive(message: ViewerMessage): void {
    switch (message.type) {
      case "hello":
        this.#open(message);
        break;
      case "drawn":
        this.#frames.confirm(message.number);
        break;
      case "input":
        this.#idle.touch();
        if (this.#phase.phase !== "checking") void this.#opening?.then((browser) => browser?.input(message.input));
        break;
      case "confirm":
        this.#idle.touch();
        void this.#confirm();
        break;
      case "cancel":
        void this.end("access_denied", "The sign-in was canceled.");
    }
  }

  #open({ width, height, isTouch }: Extract<ViewerMessage, { type: "hello" }>): void {
    if (this.#opening !== null) {
      void this.#opening.then((browser) => browser?.input({ type: "resize", width, height }));
      return;
    }
    const { application, openBrowser, logger } = this.#options;
    const viewport = { width, height };
    this.#opening = openBrowser(
      { url: application.signInUrl, viewport, isTouch, listener: this.#listen() },
      this.#closing.signal,
    ).then(
      (browser) => {
        this.#enter({ phase: "signing_in" });
        return browser;
      },
      (error: Error) => {
        if (!this.#closing.signal.aborted) logger.error({ err: error }, "no browser for a sign-in");
        void this.end("temporarily_unavailable", "No browser could be opened for the sign-in. Please try again later.");
        return null;
      },
    );
  }

  #listen() {
    return {
      onFrame: this.#frames.show.bind(this.#frames),
      onPage: (page: Extract<ServiceMessage, { type: "page" }>["page"]) => {
        this.#url = page.url;
        this.#tell({ type: "page", page });
      },
      onField: (field: Extract<ServiceMessage, { type: "field" }>["field"]) => this.#tell({ type: "field", field }),
      onDialog: (dialog: Extract<ServiceMessage, { type: "dialog" }>["dialog"]) =>
        this.#tell({ type: "dialog", dialog }),
      onChoices: (choices: Extract<ServiceMessage, { type: "choices" }>["choices"]) =>
        this.#tell({ type: "choices", choices }),
      onRest: () => void this.#detect(),
      onLost: (reason: string) => void this.end("temporarily_unavailable", reason),
    };
  }

  /** A guess, so that the button stands out; whether it is true is found out when it is pressed. */
  async #detect(): Promise<void> {
    const browser = await this.#opening;
    if (browser == null || this.#isLooking || this.#phase.phase === "checking" || this.isOver) return;
    this.#isLooking = true;
    const { application, logger } = this.#options;
    try {
      const view = await browser.look(AbortSignal.any([this.#closing.signal, this.#timeLimit()]));
      if (this.#hasPhase("checking") || view.url === this.#refusedAt) return;
      const isIn = looksSignedIn(view, application, (url) => isOnSite(application, url));
      this.#enter({ phase: isIn ? "looks_signed_in" : "signing_in" });
    } catch (error) {
      // The page went elsewhere while it was looked at: it will come to rest again.
      logger.debug({ reason: (error as Error).name }, "a page of a sign-in could not be looked at");
    } finally {
      this.#isLooking = false;
    }
  }

  async #confirm(): Promise<void> {
    const viewer = this.#viewer;
    const browser = await this.#opening;
    if (viewer === null || browser == null || this.#phase.phase === "checking" || this.isOver) return;
    this.#enter({ phase: "checking" });
    try {
      if (!(await viewer.isSignedIn())) return void this.end("access_denied", "You have signed out meanwhile.");
      const signal = AbortSignal.any([this.#closing.signal, this.#timeLimit()]);
      const checked = await captureSignIn(browser, this.#options.application, signal);
      if ("problem" in checked) this.#refuse(checked.problem);
      else await this.#save(checked);
    } catch (error) {
      if (!this.isOver) this.#refuse(this.#explain(error as Error));
    }
  }

  async #save(signIn: SavedSignIn): Promise<void> {
    if (this.isOver) return;
    this.#saving = this.#options.succeed(signIn);
    const to = await this.#saving;
    this.#ending ??= this.#finish(async () => ({ to, message: null }));
    await this.#ending;
  }

  /** In words for the person. Others of an error may quote the page, and go nowhere. */
  #explain(error: Error): string {
    if (error.name === "NavigationFailed" || error instanceof SignInTooLarge) return error.message;
    const { logger } = this.#options;
    if (this.#saving === null) {
      logger.warn({ reason: error.name }, "a sign-in could not be checked");
      return "The page could not be checked. Wait until it has loaded, and press the button again.";
    }
    this.#saving = null;
    logger.error({ err: error }, "a sign-in could not be saved");
    return "The sign-in could not be saved just now. Please press the button again in a moment.";
  }

  #refuse(message: string): void {
    this.#refusedAt = this.#url;
    this.#enter({ phase: "not_signed_in", message });
  }

  async #finish(decide: () => Promise<{ to: string | null; message: string | null }>): Promise<string | null> {
    this.#idle.stop();
    clearTimeout(this.#total);
    const { to, message } = await decide();
    this.#closing.abort();
    this.#shown.clear();
    this.#frames.detach();
    this.#tell({ type: "over", to: to ?? "/", message: to === null ? "This sign-in has ended." : message });
    this.#dismiss();
    const browser = await this.#opening;
    await browser?.[Symbol.asyncDispose]();
    return to;
  }

  async #letGo(): Promise<null> {
    this.#idle.stop();
    clearTimeout(this.#total);
    this.#closing.abort();
    this.#viewer = null;
    this.#frames.detach();
    const browser = await this.#opening;
    await browser?.[Symbol.asyncDispose]();
    return null;
  }

  #dismiss(): void {
    this.#viewer?.close("over");
    this.#viewer = null;
    this.#startGrace();
  }

  #startGrace(): void {
    this.#stopGrace();
    this.#grace = setTimeout(() => {
      void this.end("access_denied", "The page of the sign-in was left.").then(() => this.#options.onGone());
    }, this.#options.limits.graceMs);
  }

  #stopGrace(): void {
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#grace = null;
  }

  #enter(phase: LivePhase): void {
    if (this.isOver) return;
    this.#phase = phase;
    if (phase.phase !== "not_signed_in" && phase.phase !== "checking") this.#refusedAt = null;
    this.#tell({ type: "phase", ...phase });
  }

  #hasPhase(phase: LivePhase["phase"]): boolean {
    return this.#phase.phase === phase;
  }

  #tell(message: ServiceMessage): void {
    const isOver = this.#shown.has("over");
    if (isOver) return;
    if (message.type !== "idle") this.#shown.set(message.type, message);
    this.#viewer?.send(message);
  }

  #timeLimit(): AbortSignal {
    return AbortSignal.timeout(this.#options.limits.checkMs);
  }
}

interface IdleLimits {
  readonly idleMs: number;
  readonly idleWarningMs: number;
}

interface IdleCalls {
  /** So many seconds are left; null: somebody is there after all. */
  warn(endsInSeconds: number | null): void;
  end(): void;
}

/** Notices that nobody has done anything for a while, and says so before it acts on it. */
class IdleWatch {
  readonly #limits: IdleLimits;
  readonly #calls: IdleCalls;
  #timer: NodeJS.Timeout;
  #hasWarned = false;

  constructor(limits: IdleLimits, calls: IdleCalls) {
    this.#limits = limits;
    this.#calls = calls;
    this.#timer = this.#untilWarning();
  }

  touch(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#untilWarning();
    if (this.#hasWarned) this.#calls.warn(null);
    this.#hasWarned = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #untilWarning(): NodeJS.Timeout {
    const { idleMs, idleWarningMs } = this.#limits;
    return setTimeout(() => this.#warn(), Math.max(0, idleMs - idleWarningMs));
  }

  #warn(): void {
    const { idleWarningMs } = this.#limits;
    this.#hasWarned = true;
    this.#timer = setTimeout(() => this.#calls.end(), idleWarningMs);
    this.#calls.warn(Math.round(idleWarningMs / 1_000));
  }
}
