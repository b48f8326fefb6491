import { beforeAll, describe, expect, it } from "vitest";
import { endWith } from "../../../src/agent/loop/ending.ts";
import type { Planner } from "../../../src/agent/planner/planner.ts";
import type { Observation } from "../../../src/browser/observation/observation.ts";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type LoopbackServer, startLoopbackServer } from "../../_harness/browser.ts";

const PAGES: Record<string, { status?: number; html: string }> = {
  "/start": { html: "<title>Start</title><h1>Start</h1><dl><dt>Name</dt><dd>Ann</dd></dl>" },
  "/member": { html: "<title>Yours</title><h1>Yours</h1><button>Sign out</button>" },
  "/stranger": { html: "<title>Hello</title><h1>Hello</h1><a href=/start>Sign in</a>" },
  "/late": {
    html: `<title>Yours</title><h1>Yours</h1><script>
      setTimeout(() => document.body.append(Object.assign(document.createElement("button"), { textContent: "Sign out" })), 1500)
    </script>`,
  },
  "/disturbing": {
    html: `<title>Yours</title><h1>Yours</h1><button>Sign out</button>
      <script>window.open("/stranger"); setTimeout(() => alert("Buy something"))</script>`,
  },
  "/renewing": {
    html: `<title>Yours</title><h1>Yours</h1><button>Sign out</button><script>fetch("/renew", { method: "POST" })</script>`,
  },
  "/renew": { status: 500, html: "no" },
  "/wall": { html: "<title>One moment</title><h1>Verify you are human</h1>" },
  "/leaving": { html: `<title>Yours</title><script>location = "http://login.example/?secret=1"</script>` },
  "/empty": { html: "" },
};

describe("probing the sign-in before a run", () => {
  let agent: TestAgent;
  let site: LoopbackServer;
  const asked: string[] = [];

  beforeAll(async () => {
    agent = await startTestAgent();
    site = await startLoopbackServer((request, response) => {
      const path = request.url ?? "/";
      asked.push(path);
      const { status, html } = PAGES[path] ?? { status: 404, html: "" };
      if (path.startsWith("/to/")) response.writeHead(302, { location: `http://${path.slice(4)}` });
      else response.writeHead(status ?? 200, { "content-type": "text/html; charset=utf-8" });
      response.end(html);
    });
    return async () => {
      await agent[Symbol.asyncDispose]();
      await site[Symbol.asyncDispose]();
    };
  });

  const signIn = (probeUrl: string) => ({
    probeUrl,
    findSignedOut: ({ controls }: { controls: readonly string[] }) =>
      controls.includes("Sign out") ? null : "The page shows no way to sign out.",
  });

  const run = (path: string) =>
    agent.run({ prompt: "Tell me the name.", startUrl: `${site.url}/start`, signIn: signIn(site.url + path) });

  it("ends the run before its first step when the user is signed out", async () => {
    const { outcome, steps, artifacts } = await run("/stranger");
    expect(outcome).toMatchObject({
      failure: "reauthorization_required",
      reason: "The page shows no way to sign out.",
      message: expect.stringContaining("connect again"),
    });
    expect([steps, artifacts]).toEqual([[], []]);
  });

  it.each([
    ["the site", "/to/id.example/oauth2/authorize?secret=1", "id.example"],
    ["its page", "/leaving", "login.example"],
  ])("also ends it when %s sends the browser to an external sign-in", async (_name, path, host) => {
    const reason = `The site sent the browser to ${host} to sign in.`;
    expect((await run(path)).outcome).toMatchObject({ failure: "reauthorization_required", reason });
  });

  it.each([
    ["a slow page", "/late"],
    ["a page that opens a popup and a dialog over itself", "/disturbing"],
    ["a site with a bot check", "/wall"],
    ["an empty page", "/empty"],
    ["a page that redirects to a forbidden host", "/to/news.example/soon"],
  ])("is not misled by %s", async (_name, path) => {
    const { outcome, steps } = await run(path);
    expect(outcome).toMatchObject({ kind: "verified", result: { final_text: "Ann" } });
    expect(steps.map(({ action }) => action)).toEqual(["goto"]);
  });

  it("is skipped when the run may not visit the URL", async () => {
    const { outcome } = await agent.run({
      prompt: "Tell me the name.",
      startUrl: `${site.url}/start`,
      signIn: signIn(`http://127.0.0.1:9/stranger`),
    });
    expect(outcome).toMatchObject({ kind: "verified" });
  });

  it("reports what the page sent by itself, and does not count it against the run", async () => {
    const { outcome } = await run("/renewing");
    expect(asked).toContain("/renew");
    expect(outcome).toMatchObject({
      kind: "verified",
      result: { evidence: { side_effects: [{ method: "POST", status: 500, step: 0, cause: "the page itself" }] } },
    });
  });

  describe("for a planner without a start URL", () => {
    async function watch(signsIn: boolean, path: string) {
      let seen: Observation | null = null;
      const planner: Planner = {
        name: "watching",
        plan: async () => ({
          startUrl: null,
          outline: [],
          signsIn,
          async next({ observation }) {
            seen = observation;
            return { kind: "give_up", ...endWith("goal_unreachable", "There is nothing to do.") };
          },
        }),
      };
      const { outcome } = await agent.run({
        prompt: "Look.",
        allowedHosts: [new URL(site.url).host],
        planner,
        signIn: signIn(site.url + path),
      });
      return { outcome, seen };
    }

    it("leaves no trace", async () => {
      const { outcome, seen } = await watch(false, "/member");
      expect(outcome).toMatchObject({ failure: "goal_unreachable" });
      expect(seen).toMatchObject({ url: "about:blank", title: "", root: { children: [] }, tabs: [] });
    });

    it("is skipped for a task that says how to sign in", async () => {
      expect((await watch(true, "/stranger")).outcome).toMatchObject({ failure: "goal_unreachable" });
    });
  });
});
