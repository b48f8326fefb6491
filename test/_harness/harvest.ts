import { Ajv2020 } from "ajv/dist/2020.js";
import { Harvest } from "../../src/agent/extraction/by-model/harvest.ts";
import type { PageAnswer } from "../../src/agent/extraction/by-model/page-answer.ts";
import { findUngrounded, type Ungrounded } from "../../src/agent/extraction/find-ungrounded.ts";
import { capturePage } from "../../src/agent/grounding/captured-pages.ts";
import type { Extraction } from "../../src/agent/grounding/claim.ts";
import type { Observation } from "../../src/browser/observation/observation.ts";
import type { ModelRequest } from "./model-request.ts";
import { type ModelReply, modelAt, startModelServer } from "./model-server.ts";
import { startObservedSite } from "./observed-page.ts";

type Answer = Partial<PageAnswer>;
/** The scripted model's answer about a page, which may depend on the observation. */
export type Script = Answer | ((observation: Observation) => Answer);

export interface TestHarvest {
  /** Harvests the page. The model gives these answers in order, one each time it is asked. */
  gather(html: string, ...answers: Script[]): Promise<string>;
  result(): Extraction;
  /** The verifier's objections. */
  ungrounded(): Ungrounded[];
  readonly requests: readonly ModelRequest[];
}

export interface Harvests extends AsyncDisposable {
  begin(prompt: string, schema: Record<string, unknown>): Promise<TestHarvest>;
}

/** Harvests real pages with a scripted model. */
export async function startHarvests(): Promise<Harvests> {
  const site = await startObservedSite();
  const known = new Map<string, Observation>();
  const open = new AsyncDisposableStack();
  const look = async (html: string) => {
    const before = known.get(html);
    if (before !== undefined) return before;
    await using page = await site.show(html);
    const observation = await page.observe();
    known.set(html, observation);
    return observation;
  };
  return {
    async begin(prompt, schema) {
      const server = open.use(await startModelServer());
      const task = { prompt, startUrl: null, outputSchema: schema, now: new Date("2026-03-20T12:00:00Z") };
      const harvest = new Harvest({ model: await modelAt(server), task, findProblems });
      const seen: Observation[] = [];
      const result = () => {
        const extraction = harvest.result();
        if (extraction === null) throw new Error("nothing was gathered");
        return extraction;
      };
      return {
        async gather(html, ...answers) {
          const observation = { ...(await look(html)), number: seen.length + 1 };
          seen.push(observation);
          server.say(...answers.map((answer) => toReply(answer, observation)));
          const report = await harvest.gather(observation, AbortSignal.timeout(100_000));
          if (server.unsaid > 0) throw new Error(`the model was asked ${server.unsaid} times less than expected`);
          return report;
        },
        result,
        ungrounded: () => findUngrounded(result(), seen.map(capturePage), schema),
        requests: server.requests,
      };
    },
    async [Symbol.asyncDispose]() {
      await open[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    },
  };
}

function toReply(script: Script, observation: Observation): ModelReply {
  const answer = typeof script === "function" ? script(observation) : script;
  return { calls: [{ name: "fill", input: { values: [], records: [], ...answer } }] };
}

async function findProblems(schema: Readonly<Record<string, unknown>>, data: unknown): Promise<string[]> {
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  if (validate(data)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
