import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LiveLink } from "../../src/contract/live-run.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { type BrowsingWorker, startBrowsingWorker } from "../_harness/browsing-worker.ts";
import { TestClock } from "../_harness/clock.ts";
import { visitConsole } from "../_harness/console.ts";
import { startParty } from "../_harness/console-world.ts";
import { RunSocket, startWaitingShop, WAITING_ERRAND, type WaitingShop } from "../_harness/live-run.ts";
import { startTestService, type TestConnection, type TestService } from "../_harness/service.ts";

const WAIT = { timeout: 60_000 };

describe("the live view of a run", () => {
  const clock = new TestClock();
  let service: TestService;
  let worker: BrowsingWorker;
  let shop: WaitingShop;
  let connection: TestConnection;
  let api: Api;

  beforeAll(async () => {
    service = await startTestService({ clock });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    shop = await startWaitingShop();
    worker = await startBrowsingWorker(service, { privateHosts: [new URL(shop.url).host] });
    const redirectUris = ["https://app.example/callback", "https://app.example/other", "com.example.app:/callback"];
    connection = await service.connect({ registration: { redirectUris } });
    api = createApi(service.url, connection);
  });
  afterEach(async () => {
    await worker[Symbol.asyncDispose]();
    await shop[Symbol.asyncDispose]();
  });

  async function start(): Promise<string> {
    const { id } = await api.created({ prompt: WAITING_ERRAND, start_url: `${shop.url}/` });
    await expect
      .poll(async () => (await api.events(id)).body.events.some(({ type }) => type === "step"), WAIT)
      .toBe(true);
    return id;
  }

  async function getLink(id: string): Promise<LiveLink> {
    const { status, body } = await api.live(id);
    expect(status).toBe(200);
    return body;
  }

  async function watch(link: string): Promise<RunSocket> {
    const socket = await RunSocket.open(link);
    if (typeof socket === "number") throw new Error(`the socket was refused with ${socket}`);
    return socket;
  }

  function countPictures(): Promise<{ count: number }[]> {
    return service.database.query("select count(*)::int as count from live_pictures");
  }

  it("shows the browser to several viewers until the run ends, and tells them", async () => {
    const id = await start();
    const { url } = await getLink(id);
    await using one = await watch(url);
    await using other = await watch((await getLink(id)).url);
    for (const viewer of [one, other]) {
      await expect.poll(() => viewer.pictures.length, WAIT).toBeGreaterThan(0);
      expect(viewer.pictures.at(-1)?.subarray(0, 3).toString("hex")).toBe("ffd8ff");
      expect(viewer.messages).toContainEqual({ type: "page", page: { url: `${shop.url}/` } });
    }
    await one[Symbol.asyncDispose]();
    const seen = other.pictures.length;
    shop.open();
    await expect.poll(() => other.pictures.length, WAIT).toBeGreaterThan(seen);
    expect(await other.closed).toBe(1000);
    expect(other.messages.at(-1)).toEqual({ type: "over" });
    expect((await api.get(id)).body.execution.terminal.status).toBe("verified");
    expect(await countPictures()).toEqual([{ count: 0 }]);
    expect((await api.live(id)).body.error.code).toBe("EXECUTION_FINISHED");
    await using late = await watch(url);
    expect(await late.closed).toBe(1000);
    expect(late.messages.at(-1)).toEqual({ type: "over" });
  });

  it("captures nothing while nobody watches", async () => {
    const id = await start();
    expect(await countPictures()).toEqual([{ count: 0 }]);
    const viewer = await watch((await getLink(id)).url);
    await expect.poll(countPictures, WAIT).toEqual([{ count: 1 }]);
    await viewer[Symbol.asyncDispose]();
    const viewers = "select count(*)::int as count from live_viewers";
    await expect.poll(() => service.database.query(viewers), WAIT).toEqual([{ count: 0 }]);
    await service.database.query("delete from live_pictures");
    shop.open();
    expect((await api.get(id, "?wait=30")).body.execution.terminal.status).toBe("verified");
    expect(await countPictures()).toEqual([{ count: 0 }]);
  });

  it("stores pictures only encrypted", async () => {
    const id = await start();
    await using viewer = await watch((await getLink(id)).url);
    await expect.poll(() => viewer.pictures.length, WAIT).toBeGreaterThan(0);
    const [{ box } = { box: Buffer.alloc(0) }] = await service.database.query<{ box: Buffer }>(
      "select box from live_pictures",
    );
    expect(box.length).toBeGreaterThan(1_000);
    expect(box.includes(Buffer.from("ffd8ff", "hex"))).toBe(false);
    expect(box.includes(Buffer.from(new URL(shop.url).host))).toBe(false);
  });

  it("may be embedded by the application's origins only", async () => {
    const id = await start();
    const { headers, status } = await fetch((await getLink(id)).url);
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toContain("frame-ancestors 'self' https://app.example;");
    expect(headers.get("x-frame-options")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("is refused with a changed link, after its time, and from other pages", async () => {
    const id = await start();
    const { url, expires_at } = await getLink(id);
    const other = (await api.created({ prompt: WAITING_ERRAND })).id;
    const longer = url.replace(/(\.watch\.)[^.]+/, "$1zzzzzzzzz");
    for (const forged of [`${url}x`, url.replace(id, other), url.replace(".watch.", ".control."), longer]) {
      expect((await fetch(forged)).status, forged).toBe(404);
      expect(await RunSocket.open(forged), forged).toBe(404);
    }
    expect(await RunSocket.open(url, "https://app.example")).toBe(400);
    clock.advance({ seconds: 14 * 60 });
    expect((await fetch(url)).status).toBe(200);
    clock.advance({ seconds: 2 * 60 });
    expect(clock.now().toISOString() > expires_at).toBe(true);
    const expired = await fetch(url);
    expect(expired.status).toBe(410);
    expect(expired.headers.get("content-security-policy")).toContain("frame-ancestors 'self' https://app.example;");
    expect(await RunSocket.open(url)).toBe(410);
  });

  it("is nobody else's", async () => {
    const id = await start();
    const stranger = createApi(service.url, await service.connect({ applicationId: connection.applicationId }));
    expect((await stranger.live(id)).body.error.code).toBe("EXECUTION_NOT_FOUND");
    const visit = await visitConsole(service, { credits: 100 });
    expect((await visit.post(`/executions/${id}/live`)).status).toBe(404);
    const party = await startParty(service, "Larder", 100);
    const own = (await createApi(service.url, party.connection).created()).id;
    for (const person of [party.owner, party.user]) {
      expect((await person.post(`/executions/${own}/live`)).body.url).toContain(`${service.url}/live/${own}.`);
    }
    expect((await visit.post(`/executions/${own}/live`)).status).toBe(404);
  });
});
