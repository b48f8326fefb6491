import { describe, expect, test } from "vitest";
import { startTestAgent, type TestRun } from "../_harness/agent.ts";
import { call, done, type Line, play } from "../_harness/model-script.ts";
import { startModelServer } from "../_harness/model-server.ts";
import { openSpaPage } from "./_harness.ts";

interface Member {
  name: string;
  city: string;
}

const CITIES = ["Ashford", "Brindle", "Corley", "Dunmere"];

function makeMembers(count: number): Member[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `Member ${String(index + 1).padStart(3, "0")}`,
    city: CITIES[(index * 7) % 4] ?? "",
  }));
}

/** The URL of a page whose server has these members. */
async function openList(name: string, members: readonly Member[]): Promise<string> {
  const page = await openSpaPage(name, {
    respond({ url }, response) {
      if (url.pathname !== "/members") return false;
      const from = Number(url.searchParams.get("from") ?? 0);
      const count = Number(url.searchParams.get("count") ?? members.length);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(members.slice(from, from + count)));
      return true;
    },
  });
  return page.observation.url;
}

const STRING = { type: "string" };
const SCHEMA = {
  type: "object",
  properties: {
    members: {
      type: "array",
      items: { type: "object", properties: { name: STRING, city: STRING }, required: ["name", "city"] },
    },
  },
  required: ["members"],
};

async function runModel(startUrl: string, prompt: string, lines: Line[], outputSchema?: typeof SCHEMA) {
  await using server = await startModelServer();
  await using agent = await startTestAgent();
  const planner = await play(server, ...lines);
  const run = await agent.run({ prompt, startUrl, planner, ...(outputSchema === undefined ? {} : { outputSchema }) });
  return { run, asked: server.requests.length };
}

function resultOf({ outcome }: TestRun) {
  if (outcome.kind !== "verified") throw new Error(`The run was not verified: ${outcome.reason}`);
  return outcome.result;
}

const PAGES = ["list-tanstack-table", "list-tanstack-cards", "list-ag-grid"];

describe.each(PAGES)("%s", (name) => {
  test.each([84, 21, 5])("has all of its %i rows counted by steps", async (count) => {
    const startUrl = await openList(name, makeMembers(count));
    await using agent = await startTestAgent();
    const run = await agent.run({ prompt: "How many members are there?", startUrl });
    expect(resultOf(run).final_text).toBe(String(count));
  });

  test("has all of its rows extracted, and the model is asked once", async () => {
    const members = makeMembers(60);
    const columns = [
      { leaf: "v1", column: "c1" },
      { leaf: "v2", column: "c2" },
    ];
    const { run, asked } = await runModel(
      await openList(name, members),
      "List all members.",
      [
        () => call("extract"),
        () => call("fill", { values: [], records: [{ target: "l1", records: "r1", columns }] }),
        () => done("Here they are."),
      ],
      SCHEMA,
    );
    expect(resultOf(run).extracted).toEqual({ members });
    expect(asked).toBe(3);
  });

  test("does not have the rows counted that happen to be in the document", async () => {
    const { run } = await runModel(await openList(name, makeMembers(84)), "How many members are there?", [
      (turn) => {
        const shown = [...new Set(turn.page.match(/Member \d{3}/g))];
        const facts = shown.map((member) => ({ about: "a member", value: member, quote: member }));
        return done(`There are ${facts.length} members.`, { facts });
      },
    ]);
    expect(run.outcome).toMatchObject({ kind: "failed", failure: "unverified" });
  });
});
