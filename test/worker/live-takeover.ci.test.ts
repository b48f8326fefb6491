import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Api, createApi } from "../_harness/api.ts";
import { startLoopbackServer } from "../_harness/browser.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { type Party, startParty } from "../_harness/console-world.ts";
import { dumpTables, expectNowhere, readFiles } from "../_harness/everything-kept.ts";
import { RunSocket, startWaitingShop, type WaitingShop } from "../_harness/live-run.ts";
import { startTestService, type TestService } from "../_harness/service.ts";

const WAIT = { timeout: 60_000 };
const CANARY = "canary-typed-while-taken-over-7c1e";
/** One step ends and the next one begins while a person may take over. */
const ERRAND = "Wait 2 seconds. Wait 2 seconds. Wait until Open now appears. What is the price?";

describe("taking over the browser of a run", () => {
  let service: TestService;
  let worker: BrowsingWorker;
  let shop: WaitingShop;
  let party: Party;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    shop = await startWaitingShop();
    worker = await startBrowsingWorker(service, { privateHosts: [new URL(shop.url).host] });
    party = await startParty(service, "Larder", 100);
    api = createApi(service.url, party.connection);
  });
  afterEach(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  async function start(): Promise<string> {
    const { id } = await api.created({ prompt: ERRAND, start_url: `${shop.url}/` });
    await expect.poll(async () => (await listSteps(id)).length, WAIT).toBeGreaterThan(0);
    return id;
  }

  async function listSteps(id: string) {
    const { events } = (await api.events(id)).body;
    return events.filter(({ type }) => type === "step").map(({ data }) => data);
  }

  async function open(link: string): Promise<RunSocket> {
    const socket = await RunSocket.open(link);
    if (typeof socket === "number") throw new Error(`the socket was refused with ${socket}`);
    return socket;
  }

  function stateOf({ messages }: RunSocket) {
    return messages.findLast((message) => message.type === "control")?.state;
  }

  async function takeOver(person: RunSocket, holder = randomUUID()): Promise<void> {
    person.send({ type: "take_over", holder });
    await expect.poll(() => stateOf(person), WAIT).toBe("yours");
  }

  function press(person: RunSocket, x: number, y: number): void {
    const at = { type: "pointer", x, y, button: "left", modifiers: 0 };
    person.send({ type: "input", input: { ...at, kind: "down", buttons: 1, clicks: 1 } });
    person.send({ type: "input", input: { ...at, kind: "up", buttons: 0, clicks: 1 } });
  }

  async function linkFor(id: string): Promise<string> {
    return (await party.user.post(`/executions/${id}/live`)).body.url;
  }

  it("pauses the run, passes input to the site, and continues afterwards", async () => {
    const id = await start();
    await using person = await open(await linkFor(id));
    await using other = await open(await linkFor(id));
    await takeOver(person);
    await expect.poll(() => stateOf(other), WAIT).toBe("another");
    other.send({ type: "take_over", holder: randomUUID() });
    const paused = (await listSteps(id)).length;

    press(person, 170, 160);
    person.send({ type: "input", input: { type: "text", text: CANARY } });
    person.send({
      type: "input",
      input: { type: "key", kind: "down", key: "Enter", code: "Enter", modifiers: 0, isRepeat: false },
    });
    await expect.poll(() => shop.posted.join(), WAIT).toContain(`password=${CANARY}`);
    expect(stateOf(other)).toBe("another");
    expect(await listSteps(id)).toHaveLength(paused);

    person.send({ type: "hand_back" });
    await expect.poll(() => stateOf(person), WAIT).toBe("run");
    shop.open();
    const { execution } = (await api.get(id, "?wait=30")).body;
    expect(execution.terminal.status).toBe("verified");
    const [step] = (await listSteps(id)).filter(({ action }) => action === "takeover");
    expect(step).toMatchObject({ input: { by: "user" }, why: "The user used the browser.", outcome: "ok" });
    expect(step?.["side_effects"]).toMatchObject([{ type: "form_submission", method: "POST", cause: "takeover" }]);
    expect(execution.result.evidence.side_effects).toMatchObject([{ method: "POST", cause: "takeover" }]);

    const places = {
      tables: (await dumpTables(service)).join("\n"),
      files: (await readFiles(service.dataDir)).join("\n"),
      log: [...service.log, ...worker.log].join("\n"),
      answers: JSON.stringify([execution, (await api.events(id)).body]),
    };
    // Each of them is not empty, so that the search can fail.
    expect(places.tables).toContain(id);
    expect(places.files).toContain("Waiting shop");
    expect(places.log).toContain(id);
    expectNowhere([CANARY], places);
  });

  it("stores input only encrypted, and only for whoever has the browser", async () => {
    const id = await start();
    await using person = await open(await linkFor(id));
    await takeOver(person);
    await service.database.query("create table kept_inputs as select box from live_inputs");
    await service.database.query(
      `create function keep_input() returns trigger language plpgsql as $$
       begin insert into kept_inputs values (new.box); return null; end $$`,
    );
    await service.database.query(
      "create trigger keep_input after insert on live_inputs for each row execute function keep_input()",
    );
    person.send({ type: "input", input: { type: "text", text: CANARY } });
    const kept = () => service.database.query<{ box: Buffer }>("select box from kept_inputs");
    await expect.poll(async () => (await kept()).length, WAIT).toBe(1);
    expect((await kept())[0]?.box.includes(CANARY)).toBe(false);
    await using watcher = await open((await api.live(id)).body.url);
    watcher.send({ type: "take_over", holder: randomUUID() });
    watcher.send({ type: "input", input: { type: "text", text: "not mine" } });
    await expect.poll(() => stateOf(watcher), WAIT).toBe("another");
    await expect.poll(() => watcher.pictures.length, WAIT).toBeGreaterThan(0);
    expect(await kept()).toHaveLength(1);
    await service.database.query("drop function keep_input cascade");
    await service.database.query("drop table kept_inputs");
  });

  it("ends when the person is gone, and with the run", async () => {
    const id = await start();
    const person = await open(await linkFor(id));
    const holder = randomUUID();
    await takeOver(person, holder);
    await person[Symbol.asyncDispose]();
    // Who comes back in time still has it.
    await using again = await open(await linkFor(id));
    await expect.poll(() => stateOf(again), WAIT).toBe("another");
    again.send({ type: "take_over", holder });
    await expect.poll(() => stateOf(again), WAIT).toBe("yours");
    await again[Symbol.asyncDispose]();
    await service.database.query("update live_controls set expires_at = now()");
    shop.open();
    expect((await api.get(id, "?wait=30")).body.execution.terminal.status).toBe("verified");
    expect(await service.database.query("select from live_controls")).toEqual([]);
    expect(await service.database.query("select from live_inputs")).toEqual([]);
  });

  it("is only offered to the user, on our own pages", async () => {
    const id = await start();
    const { body: owned } = await party.owner.post(`/executions/${id}/live`);
    expect(owned.may_take_over).toBe(false);
    expect(await (await fetch(owned.url)).text()).not.toContain("Take over");
    await using owner = await open(owned.url);
    owner.send({ type: "take_over", holder: randomUUID() });
    await expect.poll(() => owner.pictures.length, WAIT).toBeGreaterThan(0);
    const { headers, status } = await fetch(await linkFor(id));
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self';");
    const shown = await (await fetch((await api.live(id)).body.url)).text();
    expect(shown).not.toContain("Take over");
    await using watcher = await open((await api.live(id)).body.url);
    watcher.send({ type: "take_over", holder: randomUUID() });
    await expect.poll(() => watcher.pictures.length, WAIT).toBeGreaterThan(0);
    expect(await service.database.query("select from live_controls")).toEqual([]);
  });

  it("is asked for where a site wants to see a person, by a link without an account", async () => {
    await using wall = await startWall();
    await using guarded = await startBrowsingWorker(service, { privateHosts: [new URL(wall.url).host] });
    await worker[Symbol.asyncDispose]();
    const body = { prompt: "What is the price?", start_url: `${wall.url}/`, approval: "commits" };
    const { id } = await api.created(body);
    await expect.poll(async () => (await api.interaction(id)).body.interaction?.kind, WAIT).toBe("takeover");
    const { id: askedId, link } = (await api.interaction(id)).body.interaction;
    expect(await (await fetch(link)).text()).toContain("Use the errand’s browser");
    const own = { headers: { cookie: party.owner.cookie }, redirect: "manual" } as const;
    const refused = await fetch(`${service.url}/i/${askedId}/browser`, own);
    expect(refused.headers.get("location")).toBeNull();
    expect(await refused.text()).toContain("Only the user can use the errand’s browser.");
    const { headers } = await fetch(`${link}/browser`, { redirect: "manual" });
    await using person = await open(service.url + (headers.get("location") ?? ""));
    await takeOver(person);
    await expect.poll(() => person.pictures.length, WAIT).toBeGreaterThan(0);
    press(person, 300, 300);
    await expect.poll(() => wall.passed, WAIT).toBeGreaterThan(0);
    person.send({ type: "hand_back" });
    const { execution } = (await api.get(id, "?wait=30")).body;
    expect(execution.terminal, guarded.log.at(-1)).toMatchObject({ status: "verified" });
    expect(execution.result.final_text).toContain("12.50");
    const [step] = (await listSteps(id)).filter(({ action }) => action === "takeover");
    expect(step).toMatchObject({ input: { by: "link" }, why: "Somebody with the link used the browser." });
    expect((await api.interaction(id)).body.interaction).toBeNull();
  });
});

/** A site that lets in whoever clicks. */
async function startWall() {
  let passed = 0;
  const server = await startLoopbackServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    if (!request.headers.cookie?.includes("human=1")) {
      return response.end(`<title>Just a moment...</title><h1>Verify you are human</h1>
        <script>onclick = () => { document.cookie = "human=1"; location.reload() }</script>`);
    }
    passed += 1;
    return response.end("<title>Shop</title><h1>Kettle</h1><p>Price: €12.50</p>");
  });
  return {
    ...server,
    get passed() {
      return passed;
    },
  };
}
