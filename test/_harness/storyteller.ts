import type { ActionCall } from "../../src/agent/actions/action.ts";
import type { Claim } from "../../src/agent/grounding/claim.ts";
import type { Decision, Planner } from "../../src/agent/planner/planner.ts";
import { type Observation, walk } from "../../src/browser/observation/observation.ts";

export type Deed =
  | { click: string; role?: string }
  | { fill: string; text: string }
  | { select: string; option: string }
  | { check: string; to: boolean }
  | { dialog: boolean }
  | { goto: string };

/** What a run does, and what it claims afterwards, true or not. Paths are relative to the site it started on. */
export interface Story {
  deeds?: readonly Deed[];
  answer?: string;
  facts?: readonly { label: string; value: string | number | null; quote: string; path: string }[];
  /** Texts that are claimed to be on a page. */
  texts?: readonly { path: string; text: string }[];
  data?: { data: unknown; leaves: readonly { pointer: string; value: unknown; quote: string; path: string }[] };
}

/** A planner that acts and claims as scripted: it stands for any model, including the worst. */
export function tellStory({ deeds = [], answer = "It is done.", facts = [], texts = [], data }: Story): Planner {
  return {
    name: "storyteller",
    async plan(task) {
      const left = [...deeds];
      const at = (path: string) => new URL(path, task.startUrl ?? undefined).href;
      const claim: Claim = {
        answer,
        facts: facts.map(({ path, ...fact }) => ({ ...fact, url: at(path) })),
        conditions: texts.map(({ path, text }) => ({ kind: "text", url: at(path), text, about: `"${text}" is shown` })),
        extraction:
          data === undefined
            ? null
            : {
                data: data.data,
                leaves: data.leaves.map(({ path, ...leaf }) => ({ ...leaf, url: at(path) })),
                coverage: "",
                missing: [],
              },
      };
      return {
        startUrl: null,
        outline: [],
        isExplicit: true,
        signsIn: /\bsign in\b/i.test(task.prompt),
        async next({ observation, reports }): Promise<Decision> {
          const failure = reports.at(-1)?.failure;
          if (failure) throw new Error(`the story cannot go on: ${failure.message}`);
          const deed = left.shift();
          if (deed === undefined) return { kind: "done", claim };
          return { kind: "act", calls: [toCall(deed, observation, at)], why: "The story says so." };
        },
      };
    },
  };
}

function toCall(deed: Deed, observation: Observation, at: (path: string) => string): ActionCall {
  if ("goto" in deed) return { action: "goto", input: { url: at(deed.goto) } };
  if ("dialog" in deed) return { action: "dialog", input: { accept: deed.dialog } };
  if ("click" in deed) return { action: "click", input: find(observation, deed.click) };
  if ("fill" in deed) return { action: "fill", input: { ...find(observation, deed.fill), text: deed.text } };
  if ("check" in deed) return { action: "check", input: { ...find(observation, deed.check), checked: deed.to } };
  return { action: "select", input: { ...find(observation, deed.select), options: [deed.option] } };
}

function find({ root }: Observation, label: string): { ref: string; label: string } {
  const found = walk(root).find(({ node }) => node.ref !== null && node.name === label)?.node;
  if (found?.ref == null) throw new Error(`nothing on the page is called "${label}"`);
  return { ref: found.ref, label };
}

/** Data and its leaves from rows of values with their quotes, all from one page. */
export function rows(
  path: string,
  list: readonly Readonly<Record<string, readonly [value: unknown, quote: string]>>[],
) {
  return {
    data: list.map((row) => Object.fromEntries(Object.entries(row).map(([name, [value]]) => [name, value]))),
    leaves: list.flatMap((row, index) =>
      Object.entries(row).map(([name, [value, quote]]) => ({ pointer: `/${index}/${name}`, value, quote, path })),
    ),
  };
}
