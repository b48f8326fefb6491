import { Counter, Gauge } from "prom-client";
import type { Application } from "../../applications/application.ts";
import { sha256 } from "../../lib/hash.ts";
import type { Logger } from "../../lib/logger.ts";
import { isWellFormedSecret, mintSecret } from "../../lib/secret-token.ts";
import { parseUuid } from "../../lib/uuid.ts";
import type { SavedSignIn } from "../vault/saved-sign-in.ts";
import type { OpenLiveBrowser } from "./live-browser.ts";
import { LiveSignIn, type LiveSignInLimits } from "./live-sign-in.ts";
import type { Refusal, SignInAttempt, SignInAttemptStore, SignInRequest, SignIns } from "./sign-in-attempts.ts";

interface SignInsDependencies {
  readonly store: SignInAttemptStore;
  readonly applications: { find(id: string): Promise<Application | null> };
  readonly openBrowser: OpenLiveBrowser;
  /**
   * Saves the sign-in together with a code, ends the attempt in the same transaction, and says where the person goes. Null when
   * it had ended before, or when the application no longer sends people there.
   */
  readonly goBackWithCode: (attempt: SignInAttempt, signIn: SavedSignIn) => Promise<string | null>;
  readonly goBackWithError: (request: SignInRequest, error: Refusal, message: string) => string;
  /** At a time, in this process. */
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

export function createSignIns(dependencies: SignInsDependencies): SignIns {
  const { store, applications, openBrowser, goBackWithCode, goBackWithError, maxLive, logger } = dependencies;
  const limits = { ...DEFAULT_LIMITS, ...dependencies.limits };
  /** Those whose browser is in this process. */
  const live = new Map<string, { userId: string; signIn: LiveSignIn }>();
  let isClosed = false;

  async function find(id: string, userId: string): Promise<SignInAttempt | null> {
    const uuid = parseUuid(id);
    return uuid === null ? null : store.find(uuid, userId);
  }

  async function refuse(attempt: SignInAttempt, refusal: Refusal, message: string): Promise<string | null> {
    // With the database away the person goes back all the same; the attempt then ends by its time.
    const isFirst = await store.conclude(attempt.id, refusal).catch((error: Error) => {
      logger.error({ err: error, sign_in_id: attempt.id }, "the end of a sign-in could not be stored");
      return true;
    });
    if (isFirst) countSignIn(refusal);
    return isFirst ? goBackWithError(attempt, refusal, message) : null;
  }

  function start(attempt: SignInAttempt, application: Application & { signInUrl: string }): LiveSignIn {
    const signIn = new LiveSignIn({
      application,
      openBrowser,
      limits,
      async succeed(saved) {
        const to = await goBackWithCode(attempt, saved);
        if (to !== null) countSignIn("saved");
        return to;
      },
      refuse: (refusal, message) => refuse(attempt, refusal, message),
      onGone() {
        if (live.delete(attempt.id)) countLiveSignIns(-1);
      },
      logger: logger.child({ sign_in_id: attempt.id }),
    });
    live.set(attempt.id, { userId: attempt.userId, signIn });
    countLiveSignIns(1);
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

  function countOpen(): number {
    return [...live.values()].filter(({ signIn }) => !signIn.isOver).length;
  }

  /** Whoever has closed their page has had their turn; if everybody is still there, the newest has to wait. */
  function makeRoom(newest: LiveSignIn): void {
    const left = [...live.values()].find(({ signIn }) => signIn.isLeft);
    if (left === undefined) void newest.end("temporarily_unavailable", TOO_MANY);
    else void left.signIn.end("access_denied", "The page of the sign-in was left.");
  }

  /** A person has one at a time: whoever starts another has left the one before. */
  function leaveOthers({ id, userId }: SignInAttempt): void {
    for (const [otherId, other] of live) {
      if (other.userId === userId && otherId !== id) void other.signIn.end("access_denied", "Another was started.");
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
      leaveOthers(attempt);
      viewer.send({ type: "welcome", ticket: next });
      const seat = signIn.seat(viewer);
      if (isNew && countOpen() > maxLive) makeRoom(signIn);
      return seat;
    },

    async cancel(id, userId) {
      const attempt = await find(id, userId);
      if (attempt === null) return null;
      const message = "The sign-in was canceled.";
      const here = live.get(attempt.id)?.signIn;
      const to = await (here?.end("access_denied", message) ?? refuse(attempt, "access_denied", message));
      return to === null ? null : { to };
    },

    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all([...live.values()].map(({ signIn }) => signIn.abandon()));
    },
  };
}

/** In the registry of the process, where /metrics finds them. */
const liveSignIns = new Gauge({
  name: "errand_sign_ins_live",
  help: "People who are signing in by hand in a browser of this process now.",
});
const endedSignIns = new Counter({
  name: "errand_sign_ins_total",
  help: "Sign-ins by hand that ended in this process: saved, or by how they were refused.",
  labelNames: ["outcome"],
});

function countLiveSignIns(change: 1 | -1): void {
  liveSignIns.inc(change);
}

function countSignIn(outcome: "saved" | Refusal): void {
  endedSignIns.inc({ outcome });
}
