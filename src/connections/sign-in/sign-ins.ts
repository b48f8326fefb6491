import { Counter, Gauge } from "prom-client";
import type { Application } from "../../applications/application.ts";
import { sha256 } from "../../lib/hash.ts";
import type { Logger } from "../../lib/logger.ts";
import { isWellFormedSecret, mintSecret } from "../../lib/secret-token.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import type { OpenLiveBrowser } from "./live-browser.ts";
import { LiveSignIn, type LiveSignInLimits } from "./live-sign-in.ts";
import { whereToEnter } from "./renew-sign-in.ts";
import type { Refusal, SignInAttempt, SignInAttemptStore, SignInRequest } from "./sign-in-attempts.ts";
import type { CredentialEntry } from "./store-credentials.ts";
import type { Viewer, ViewerSession } from "./viewer.ts";

/** Sign-ins by hand in a live browser, from consent until the person goes back to the application. */
export interface SignIns extends AsyncDisposable {
  begin(request: SignInRequest): Promise<{ id: string }>;
  /** For the page of a sign-in in progress, with a new ticket for its socket; null when this person has none with this id. */
  open(id: string, userId: string): Promise<OpenSignIn | null>;
  /** Uses up the ticket and connects the viewer; null when id, person and ticket do not belong together. */
  join(id: string, userId: string, ticket: string, viewer: Viewer): Promise<ViewerSession | null>;
  /** Ends it; returns the redirect URL, or null when this person has no such sign-in in progress. */
  cancel(id: string, userId: string): Promise<{ to: string } | null>;
  /** For the page on which the person may store credentials; null when this person is not there. */
  openCredentials(id: string, userId: string): Promise<CredentialsStep | null>;
  /** Stores credentials for the connection. Throws CallerError; null when this person is not there. */
  storeCredentials(id: string, userId: string, entry: CredentialEntry): Promise<{ code: string | null } | null>;
  /** The person goes back to the application with a code; null when they have done so already. */
  endCredentials(id: string, userId: string): Promise<{ to: string } | null>;
}

interface OpenSignIn {
  readonly application: Application;
  readonly ticket: string;
  readonly redirectUri: string;
}

interface CredentialsStep {
  readonly application: Application;
  readonly redirectUri: string;
  /** Host patterns of the pages on which they will be entered. */
  readonly hosts: readonly string[];
}

interface SignInsDependencies {
  readonly store: SignInAttemptStore;
  readonly applications: { find(id: string): Promise<Application | null> };
  readonly openBrowser: OpenLiveBrowser;
  /**
   * Saves the sign-in with a code and ends the attempt, in one transaction; returns the redirect URL. Null when the attempt
   * had already ended, or when the redirect URI is no longer registered.
   */
  readonly goBackWithCode: (attempt: SignInAttempt, signIn: SavedSignIn) => Promise<string | null>;
  /** The same later, with the saved sign-in. */
  readonly goBackSignedIn: (attempt: SignInAttempt) => Promise<string | null>;
  /** The URL of the page on which the person may store credentials. */
  readonly credentialsUrl: (attemptId: string) => string;
  readonly storeCredentials: (attempt: SignInAttempt, entry: CredentialEntry) => Promise<{ code: string | null }>;
  readonly goBackWithError: (request: SignInRequest, error: Refusal, message: string) => string;
  /** How many may be in progress at a time in this process. */
  readonly maxLive: number;
  readonly limits?: Partial<LiveSignInLimits>;
  readonly logger: Logger;
}

const TICKET_PREFIX = "errand_st_";
const MINUTE_MS = 60_000;
const ATTEMPT_MS = 60 * MINUTE_MS;
const ATTEMPT_MEMORY_MS = 24 * 60 * MINUTE_MS;
const DEFAULT_LIMITS: LiveSignInLimits = {
  idleMs: 10 * MINUTE_MS,
  idleWarningMs: MINUTE_MS,
  graceMs: MINUTE_MS,
  totalMs: ATTEMPT_MS,
  checkMs: MINUTE_MS,
};
const TOO_MANY = "Too many people are signing in at the moment. Please try again in a few minutes.";

/** In the process's default registry, which /metrics serves. */
const liveSignIns = new Gauge({
  name: "errand_sign_ins_live",
  help: "People currently signing in by hand in a browser of this process.",
});
const endedSignIns = new Counter({
  name: "errand_sign_ins_total",
  help: "Sign-ins by hand that ended in this process: saved, or the error they ended with.",
  labelNames: ["outcome"],
});

export function createSignIns(dependencies: SignInsDependencies): SignIns {
  const { store, applications, openBrowser, goBackWithCode, goBackWithError, maxLive, logger } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  /** Sign-ins whose browser runs in this process. */
  const live = new Map<string, { userId: string; signIn: LiveSignIn }>();
  let isClosed = false;

  async function find(id: string, userId: string): Promise<SignInAttempt | null> {
    const uuid = parseUuid(id);
    return uuid === null ? null : store.find(uuid, userId);
  }

  async function endWithError(attempt: SignInAttempt, refusal: Refusal, message: string): Promise<string | null> {
    // Without the database the person is still sent back; the attempt then expires.
    const isFirst = await store.conclude(attempt.id, refusal).catch((error: Error) => {
      logger.error({ err: error, sign_in_id: attempt.id }, "Could not store the end of a sign-in");
      return true;
    });
    if (isFirst) endedSignIns.inc({ outcome: refusal });
    return isFirst ? goBackWithError(attempt, refusal, message) : null;
  }

  function start(attempt: SignInAttempt, application: Application & { signInUrl: string }): LiveSignIn {
    const signIn = new LiveSignIn({
      application,
      openBrowser,
      limits,
      async succeed(saved) {
        const to = await goBackWithCode(attempt, saved);
        if (to === null) return null;
        endedSignIns.inc({ outcome: "saved" });
        if (!application.storedCredentials) return to;
        // That code is not used: they get another one when they have decided.
        await store.beginCredentials(attempt.id);
        return dependencies.credentialsUrl(attempt.id);
      },
      refuse: (refusal, message) => endWithError(attempt, refusal, message),
      onGone() {
        if (live.delete(attempt.id)) liveSignIns.dec();
      },
      logger: logger.child({ sign_in_id: attempt.id }),
    });
    live.set(attempt.id, { userId: attempt.userId, signIn });
    liveSignIns.inc();
    return signIn;
  }

  async function findOrStart(attempt: SignInAttempt): Promise<LiveSignIn | null> {
    const application = await applications.find(attempt.applicationId);
    const known = live.get(attempt.id);
    if (known !== undefined) return known.signIn;
    const signInUrl = application?.signInUrl ?? null;
    if (attempt.outcome !== null || application === null || signInUrl === null) return null;
    return start(attempt, { ...application, signInUrl });
  }

  async function findAsked(id: string, userId: string): Promise<SignInAttempt | null> {
    const attempt = await find(id, userId);
    return attempt?.outcome === "credentials" ? attempt : null;
  }

  function countOpen(): number {
    return [...live.values()].filter(({ signIn }) => !signIn.isOver).length;
  }

  /** Ends a sign-in whose page was closed; when there is none, rejects the newest. */
  function makeRoom(newest: LiveSignIn): void {
    const abandoned = [...live.values()].find(({ signIn }) => signIn.hasNoViewer);
    if (abandoned === undefined) void newest.end("temporarily_unavailable", TOO_MANY);
    else void abandoned.signIn.end("access_denied", "The sign-in page was closed.");
  }

  /** A person has one sign-in at a time: starting another ends the previous one. */
  function endOthers({ id, userId }: SignInAttempt): void {
    for (const [otherId, other] of live) {
      if (other.userId === userId && otherId !== id)
        void other.signIn.end("access_denied", "Another sign-in was started.");
    }
  }

  return {
    begin(request) {
      return store.insert(request, { lifetimeMs: ATTEMPT_MS, memoryMs: ATTEMPT_MEMORY_MS });
    },

    async open(id, userId) {
      const attempt = await find(id, userId);
      const application = attempt === null ? null : await applications.find(attempt.applicationId);
      if (attempt === null || application === null || attempt.outcome !== null) return null;
      const ticket = mintSecret(TICKET_PREFIX);
      await store.setTicket(attempt.id, sha256(ticket));
      return { application, ticket, redirectUri: attempt.redirectUri };
    },

    async join(id, userId, ticket, viewer) {
      const attempt = isWellFormedSecret(TICKET_PREFIX, ticket) ? await find(id, userId) : null;
      if (attempt === null || isClosed) return null;
      const next = mintSecret(TICKET_PREFIX);
      if (!(await store.spendTicket(attempt.id, sha256(ticket), sha256(next)))) return null;
      const isNew = !live.has(attempt.id);
      const signIn = await findOrStart(attempt);
      if (signIn === null) return null;
      endOthers(attempt);
      viewer.send({ type: "welcome", ticket: next });
      const session = signIn.attachViewer(viewer);
      if (isNew && countOpen() > maxLive) makeRoom(signIn);
      return session;
    },

    async cancel(id, userId) {
      const attempt = await find(id, userId);
      if (attempt === null) return null;
      const message = "The sign-in was canceled.";
      const here = live.get(attempt.id)?.signIn;
      const to = await (here?.end("access_denied", message) ?? endWithError(attempt, "access_denied", message));
      return to === null ? null : { to };
    },

    async openCredentials(id, userId) {
      const attempt = await findAsked(id, userId);
      const application = attempt === null ? null : await applications.find(attempt.applicationId);
      if (attempt === null || application === null) return null;
      return { application, redirectUri: attempt.redirectUri, hosts: whereToEnter(application).hosts };
    },

    async storeCredentials(id, userId, entry) {
      const attempt = await findAsked(id, userId);
      return attempt && dependencies.storeCredentials(attempt, entry);
    },

    async endCredentials(id, userId) {
      const attempt = await findAsked(id, userId);
      if (attempt === null || !(await store.endCredentials(attempt.id))) return null;
      const to = await dependencies.goBackSignedIn(attempt);
      return to === null ? null : { to };
    },

    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...live.values()].map(({ signIn }) => signIn.abandon()));
    },
  };
}
