import { beforeAll, beforeEach } from "vitest";
import type { ErrandOutcome } from "../../src/agent/loop/errand.ts";
import type { ExecutionResult } from "../../src/contract/execution.ts";
import { type Sites, startSites } from "../sites/start-sites.ts";
import { startTestAgent, type TestAgent, type TestAgentOptions, type TestErrand, type TestRun } from "./agent.ts";

export interface Errands {
  /** New for each test. */
  readonly sites: Sites;
  run(errand: TestErrand): Promise<TestRun>;
}

/** One agent for the file, and new sites for each of its tests. */
export function useErrands(options: TestAgentOptions = {}): Errands {
  let agent: TestAgent;
  let sites: Sites;
  beforeAll(async () => {
    agent = await startTestAgent(options);
    return () => agent[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    sites = await startSites();
    return () => sites[Symbol.asyncDispose]();
  });
  return {
    get sites() {
      return sites;
    },
    run: (errand) => agent.run(errand),
  };
}

export function resultOf({ outcome }: TestRun): ExecutionResult {
  if (outcome.kind !== "verified") throw new Error(describe(outcome));
  return outcome.result;
}

function describe({ failure, code, reason }: Extract<ErrandOutcome, { kind: "failed" }>): string {
  return `${failure} (${code}): ${reason}`;
}
