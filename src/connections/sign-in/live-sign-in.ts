import type { Application } from "../../applications/application.ts";
import type { LivePhase, ServiceMessage, ViewerMessage } from "../../contract/live-view.ts";
import type { Logger } from "../../lib/logger.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import { SignInTooLarge } from "../vault/vault.ts";
import type { LiveBrowser, LiveListener, OpenLiveBrowser } from "./live-browser.ts";
import { captureSignIn, isOnSite, listSiteHosts, looksSignedIn } from "./probe.ts";
import type { Refusal } from "./sign-in-attempts.ts";
import { FrameSender, type Viewer, type ViewerSession } from "./viewer.ts";

export interface LiveSignInLimits {
  /** Time without input; the person is warned before it ends. */
  readonly idleMs: number;
  readonly idleWarningMs: number;
  /** How long a disconnected viewer may take to come back. */
  readonly graceMs: number;
  readonly totalMs: number;
  readonly checkMs: number;
}

interface LiveSignInOptions {
  readonly application: Application & { signInUrl: string };
  readonly openBrowser: OpenLiveBrowser;
  readonly limits: LiveSignInLimits;
  /** Saves the sign-in and returns the redirect URL; null when the attempt had ended, or the URI is no longer registered. */
  readonly succeed: (signIn: SavedSignIn) => Promise<string | null>;
  readonly refuse: (refusal: Refusal, message: string) => Promise<string | null>;
  /** It is over and no viewer will come back. */
  readonly onGone: () => void;
  readonly logger: Logger;
}

/** One sign-in by hand: its browser, its viewer and its phase. */
export class LiveSignIn {
  readonly #options: LiveSignInOptions;
  readonly #closing = new AbortController();
  readonly #frames = new FrameSender();
  readonly #idle: IdleWatch;
  readonly #totalTimer: NodeJS.Timeout;
  /** The newest message of each type, for a viewer that joins later. */
  readonly #shown = new Map<ServiceMessage["type"], ServiceMessage>();
  #viewer: Viewer | null = null;
  #graceTimer: NodeJS.Timeout | null = null;
  #opening: Promise<LiveBrowser | null> | null = null;
  #phase: LivePhase = { phase: "opening" };
  #isDetecting = false;
  /** The URL at which the last check failed: its message stays while the page does. */
  #failedAtUrl: string | null = null;
  #url = "";
  #saving: Promise<string | null> | null = null;
  #ending: Promise<string | null> | null = null;

  constructor(options: LiveSignInOptions) {
    this.#options = options;
    const { limits } = options;
    this.#idle = new IdleWatch(limits, {
      warn: (endsInSeconds) => this.#send({ type: "idle", endsInSeconds }),
      end: () => void this.end("access_denied", "The sign-in was ended because there was no input for a while."),
    });
    this.#totalTimer = setTimeout(
      () => void this.end("access_denied", "The sign-in took too long and was ended."),
      limits.totalMs,
    );
    this.#enter({ phase: "opening" });
    this.#startGrace();
  }

  /** The browser is closed or closing; only a viewer that has not received `over` yet may still come back. */
  get isOver(): boolean {
    return this.#ending !== null;
  }

  /** It has no viewer at the moment; one may come back. */
  get hasNoViewer(): boolean {
    return this.#viewer === null && !this.isOver;
  }

  /** Replaces the previous viewer, if any. */
  attachViewer(viewer: Viewer): ViewerSession {
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

  /** Ends it without saving. The first of several reasons counts; all callers get the same redirect URL. */
  end(refusal: Refusal, message: string): Promise<string | null> {
    this.#ending ??= this.#finish(async () => {
      // A save in progress wins.
      const saved = await this.#saving?.catch(() => null);
      return saved == null
        ? { to: await this.#options.refuse(refusal, message), message }
        : { to: saved, message: null };
    });
    return this.#ending;
  }

  /** Closes it without an outcome: the person's page reconnects to another process and starts over there. */
  async abandon(): Promise<void> {
    this.#ending ??= this.#release();
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
      {
        url: application.signInUrl,
        siteHosts: listSiteHosts(application),
        viewport,
        isTouch,
        listener: this.#createListener(),
      },
      this.#closing.signal,
    ).then(
      (browser) => {
        this.#enter({ phase: "signing_in" });
        return browser;
      },
      (error: Error) => {
        if (!this.#closing.signal.aborted) logger.error({ err: error }, "No browser available for a sign-in");
        void this.end("temporarily_unavailable", "No browser could be opened for the sign-in. Please try again later.");
        return null;
      },
    );
  }

  #createListener(): LiveListener {
    return {
      onFrame: (frame) => this.#frames.show(frame),
      onPage: (page) => {
        this.#url = page.url;
        this.#send({ type: "page", page });
      },
      onField: (field) => this.#send({ type: "field", field }),
      onDialog: (dialog) => this.#send({ type: "dialog", dialog }),
      onChoices: (choices) => this.#send({ type: "choices", choices }),
      onSettled: () => void this.#detect(),
      onLost: (reason) => void this.end("temporarily_unavailable", reason),
    };
  }

  /** A guess that highlights the button; pressing it runs the real check. */
  async #detect(): Promise<void> {
    const browser = await this.#opening;
    if (browser == null || this.#isDetecting || this.#phase.phase === "checking" || this.isOver) return;
    this.#isDetecting = true;
    const { application, logger } = this.#options;
    try {
      const view = await browser.view(AbortSignal.any([this.#closing.signal, this.#timeLimit()]));
      if (this.#hasPhase("checking") || view.url === this.#failedAtUrl) return;
      const isIn = looksSignedIn(view, application, (url) => isOnSite(application, url));
      this.#enter({ phase: isIn ? "looks_signed_in" : "signing_in" });
    } catch (error) {
      // The page navigated while it was being read: it will settle again.
      logger.debug({ reason: (error as Error).name }, "Could not read a page during a sign-in");
    } finally {
      this.#isDetecting = false;
    }
  }

  async #confirm(): Promise<void> {
    const viewer = this.#viewer;
    const browser = await this.#opening;
    if (viewer === null || browser == null || this.#phase.phase === "checking" || this.isOver) return;
    this.#enter({ phase: "checking" });
    try {
      if (!(await viewer.isSignedIn()))
        return void this.end("access_denied", "You have signed out of Errand in the meantime.");
      const signal = AbortSignal.any([this.#closing.signal, this.#timeLimit()]);
      const checked = await captureSignIn(browser, this.#options.application, signal);
      if ("problem" in checked) this.#reportFailure(checked.problem);
      else await this.#save(checked);
    } catch (error) {
      if (!this.isOver) this.#reportFailure(this.#explain(error as Error));
    }
  }

  async #save(signIn: SavedSignIn): Promise<void> {
    if (this.isOver) return;
    this.#saving = this.#options.succeed(signIn);
    const to = await this.#saving;
    this.#ending ??= this.#finish(async () => ({ to, message: null }));
    await this.#ending;
  }

  /** A message for the person. Other error messages may quote the page and are not passed on. */
  #explain(error: Error): string {
    if (error.name === "NavigationFailed" || error instanceof SignInTooLarge) return error.message;
    const { logger } = this.#options;
    if (this.#saving === null) {
      logger.warn({ reason: error.name }, "Could not check a sign-in");
      return "The page could not be checked. Wait until it has loaded, then press the button again.";
    }
    this.#saving = null;
    logger.error({ err: error }, "Could not save a sign-in");
    return "The sign-in could not be saved. Please press the button again in a moment.";
  }

  #reportFailure(message: string): void {
    this.#failedAtUrl = this.#url;
    this.#enter({ phase: "not_signed_in", message });
  }

  async #finish(decide: () => Promise<{ to: string | null; message: string | null }>): Promise<string | null> {
    this.#stopTimers();
    const { to, message } = await decide();
    this.#closing.abort();
    this.#shown.clear();
    this.#frames.detach();
    this.#send({ type: "over", to: to ?? "/", message: to === null ? "This sign-in has ended." : message });
    this.#dismiss();
    await this.#closeBrowser();
    return to;
  }

  async #release(): Promise<null> {
    this.#stopTimers();
    this.#closing.abort();
    this.#viewer = null;
    this.#frames.detach();
    await this.#closeBrowser();
    return null;
  }

  #stopTimers(): void {
    this.#idle.stop();
    clearTimeout(this.#totalTimer);
  }

  async #closeBrowser(): Promise<void> {
    const browser = await this.#opening;
    await browser?.[Symbol.asyncDispose]();
  }

  #dismiss(): void {
    this.#viewer?.close("over");
    this.#viewer = null;
    this.#startGrace();
  }

  #startGrace(): void {
    this.#stopGrace();
    this.#graceTimer = setTimeout(() => {
      void this.end("access_denied", "The sign-in page was closed.").then(() => this.#options.onGone());
    }, this.#options.limits.graceMs);
  }

  #stopGrace(): void {
    if (this.#graceTimer !== null) clearTimeout(this.#graceTimer);
    this.#graceTimer = null;
  }

  #enter(phase: LivePhase): void {
    if (this.isOver) return;
    this.#phase = phase;
    if (phase.phase !== "not_signed_in" && phase.phase !== "checking") this.#failedAtUrl = null;
    this.#send({ type: "phase", ...phase });
  }

  #hasPhase(phase: LivePhase["phase"]): boolean {
    return this.#phase.phase === phase;
  }

  #send(message: ServiceMessage): void {
    if (this.#shown.has("over")) return;
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
  /** Seconds until it ends; null: there was input again. */
  warn(endsInSeconds: number | null): void;
  end(): void;
}

/** Warns after a time without input, then ends. */
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
