import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";
import { call, type Line, play } from "../../_harness/model-script.ts";
import { type ModelServer, startModelServer } from "../../_harness/model-server.ts";

const SECRET = "canary-7-sparrow";
const FORM = `<form method="post" action="/session"><label>Password <input type="password" name="password"></label>
  <label>Note <input name="note"></label><button>Sign in</button></form>`;

let agent: TestAgent;
let server: ModelServer;
let shop: LoopbackServer;
let partner: LoopbackServer;
/** Bodies of requests, by host. */
let received: Map<string, string[]>;

beforeAll(async () => {
  agent = await startTestAgent();
  return () => agent[Symbol.asyncDispose]();
});

beforeEach(async () => {
  received = new Map();
  server = await startModelServer();
  partner = await startLoopbackServer(site("partner", () => `<title>Partner</title><h1>Partner</h1>${FORM}`));
  const frame = `<iframe src="${partner.url}/frame"></iframe>`;
  shop = await startLoopbackServer(
    site("shop", (url) => `<h1>Shop</h1><a href="${partner.url}/">Our partner</a>${url === "/" ? FORM : frame}`),
  );
  return async () => {
    for (const part of [server, shop, partner]) await part[Symbol.asyncDispose]();
  };
});

function site(name: string, page: (url: string) => string) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    received.set(name, [...(received.get(name) ?? []), `${request.url} ${body}`]);
    response.setHeader("content-type", "text/html");
    response.end(request.method === "POST" ? "<title>In</title><h1>Welcome back</h1>" : page(request.url ?? ""));
  };
}

const everything = (name: string) => received.get(name)?.join() ?? "";
const giveUp: Line = () =>
  call("give_up", { kind: "goal_unreachable", reason: "The partner's form takes no password." });

async function run(prompt: string, lines?: Line[], path = "/") {
  const planner = lines === undefined ? {} : { planner: await play(server, ...lines) };
  const allowedHosts = [new URL(shop.url).host, new URL(partner.url).host];
  const { outcome } = await agent.run({ prompt, startUrl: shop.url + path, allowedHosts, ...planner });
  return outcome;
}

const PROMPT = `Sign in with the password "${SECRET}".`;

describe("a secret of the prompt", () => {
  test("is not typed into a page of another allowed host, although the model wants to", async () => {
    const outcome = await run(PROMPT, [
      (turn) => turn.click('link "Our partner"'),
      (turn) => turn.fill('textbox "Password"', "[secret-1]", { submit: true }),
      giveUp,
    ]);
    expect(outcome).toMatchObject({ kind: "failed", failure: "policy_violation" });
    expect(outcome).toHaveProperty("reason", expect.stringContaining(new URL(partner.url).host));
    expect(everything("partner")).not.toContain(SECRET);
  });

  test("is not typed into another host's frame on the start page", async () => {
    const inFrame: Line = (turn) => {
      const ref = /(f\d+[ec]\d+) textbox "Password"/.exec(turn.page)?.[1];
      return call("fill", { ref, label: "Password", text: "[secret-1]", submit: true });
    };
    expect(await run(PROMPT, [inFrame, giveUp], "/framed")).toMatchObject({
      kind: "failed",
      failure: "policy_violation",
    });
    expect(everything("partner")).toContain("/frame");
    expect(everything("partner")).not.toContain(SECRET);
  });

  test.each(["Password", "Note"])("is not typed into another host's field %s by steps", async (field) => {
    const outcome = await run(`Click "Our partner". Enter "${SECRET}" into "${field}". The password is "${SECRET}".`);
    expect(outcome).toMatchObject({ kind: "failed" });
    const masked = await run(`Click "Our partner". Enter "${SECRET}" into "Password". Click "Sign in".`);
    expect(masked).toMatchObject({ kind: "failed", failure: "policy_violation" });
    expect(everything("partner")).not.toContain(SECRET);
  });

  test("is typed into the start host's page", async () => {
    await run(`Enter "${SECRET}" into "Password". Click "Sign in".`);
    expect(everything("shop")).toContain(`/session password=${SECRET}`);
  });

  test("is typed into the page of a host that the prompt names", async () => {
    const { host } = new URL(partner.url);
    await run(`Sign in at ${host} with the password "${SECRET}".`, [
      (turn) => turn.click('link "Our partner"'),
      (turn) => turn.fill('textbox "Password"', "[secret-1]", { submit: true }),
      giveUp,
    ]);
    expect(everything("partner")).toContain(`password=${SECRET}`);
  });
});
