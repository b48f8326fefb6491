import type { Errand, Reporter } from "../src/agent/loop/errand.ts";
import type { Planner } from "../src/agent/planner/planner.ts";
import type { BrowserSession } from "../src/browser/session/browser-session.ts";

/** What the time of a run goes into. "between" is what no other part covers: comparing, capturing, deciding. */
export type Part =
  | "open the browser"
  | "act"
  | "come to rest"
  | "pin the element"
  | "observe"
  | "screenshot"
  | "decide"
  | "second look"
  | "write evidence"
  | "close the browser"
  | "write steps (beside the next step)";

export interface Spent {
  part: Part;
  ms: number;
  calls: number;
}

/**
 * Takes the time of each part without the parts inside it. A run does one thing after the other, so what runs now is
 * always the part that began last; writing of steps goes on beside it and is counted by itself.
 */
export class Stopwatch {
  readonly #spent = new Map<Part, { ms: number; calls: number }>();
  readonly #inside: { part: Part; innerMs: number }[] = [];

  async time<Result>(part: Part, work: () => Promise<Result>): Promise<Result> {
    const frame = { part, innerMs: 0 };
    this.#inside.push(frame);
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      const ms = performance.now() - startedMs;
      this.#inside.splice(this.#inside.indexOf(frame), 1);
      const outer = this.#inside.at(-1);
      if (outer !== undefined) outer.innerMs += ms;
      this.#add(part, ms - frame.innerMs);
    }
  }

  async timeBeside<Result>(part: Part, work: () => Promise<Result>): Promise<Result> {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      this.#add(part, performance.now() - startedMs);
    }
  }

  list(): Spent[] {
    return [...this.#spent].map(([part, spent]) => ({ part, ...spent }));
  }

  #add(part: Part, ms: number): void {
    const { ms: before, calls } = this.#spent.get(part) ?? { ms: 0, calls: 0 };
    this.#spent.set(part, { ms: before + ms, calls: calls + 1 });
  }
}

/** The errand with a stopwatch at everything that it works with. */
export function timeErrand(errand: Errand, watch: Stopwatch): Errand {
  return {
    ...errand,
    planner: timePlanner(errand.planner, watch),
    reporter: timeReporter(errand.reporter, watch),
    openSession: async (signal) =>
      timeSession(await watch.time("open the browser", () => errand.openSession(signal)), watch),
    begin: () => watch.time("write evidence", errand.begin),
  };
}

function timePlanner(planner: Planner, watch: Stopwatch): Planner {
  return {
    name: planner.name,
    async plan(task, context) {
      const plan = await planner.plan(task, context);
      const { startUrl, outline, signsIn } = plan;
      return {
        startUrl,
        outline,
        signsIn,
        next: (turn) => watch.time("decide", () => plan.next(turn)),
        ...(plan.reconsider && { reconsider: (objection) => plan.reconsider?.(objection) }),
      };
    },
  };
}

function timeReporter(reporter: Reporter, watch: Stopwatch): Reporter {
  const steps = "write steps (beside the next step)";
  return {
    step: (step) => watch.timeBeside(steps, () => reporter.step(step)),
    saveArtifact: (artifact) =>
      artifact.kind === "screenshot"
        ? watch.timeBeside(steps, () => reporter.saveArtifact(artifact))
        : watch.time("write evidence", () => reporter.saveArtifact(artifact)),
    verification: (verdict) => watch.time("write evidence", () => reporter.verification(verdict)),
  };
}

function timeSession(session: BrowserSession, watch: Stopwatch): BrowserSession {
  const timed: Partial<BrowserSession> = {
    observe: (signal) => watch.time("observe", () => session.observe(signal)),
    pin: (ref) => watch.time("pin the element", () => session.pin(ref)),
    settle: (action, signal) =>
      watch.time("come to rest", () => session.settle(() => watch.time("act", action), signal)),
    screenshot: () => watch.time("screenshot", () => session.screenshot()),
    observeForVerification: (url, signal) =>
      watch.time("second look", () => session.observeForVerification(url, signal)),
    [Symbol.asyncDispose]: () => watch.time("close the browser", async () => session[Symbol.asyncDispose]()),
  };
  return new Proxy(session, {
    get(target, name) {
      if (name in timed) return Reflect.get(timed, name);
      // The session's own, because it keeps what is its in private fields.
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
