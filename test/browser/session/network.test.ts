import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { isWrite } from "../../../src/browser/session/network-record.ts";
import { click, never, openSession, type Site, serve, until } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";
import { PAGES_THAT_WRITE, WAYS_TO_WRITE } from "../../_harness/ways-to-write.ts";

let pool: BrowserPool;
let site: Site;
let other: Site;

beforeAll(async () => {
  other = await serve({});
  site = await serve(
    {
      ...PAGES_THAT_WRITE,
      "/chat": `<button onclick="send('2'); send('42[\\'input\\',{\\'text\\':\\'Good morning\\'}]')">Send</button><script>
        const socket = new WebSocket("ws://" + location.host + "/socket");
        const send = (text) => socket.send(text.replaceAll("'", '"'));
        socket.onopen = () => send("2");
      </script>`,
      "/many": "<script>for (let n = 0; n < 30; n++) fetch('/n' + n, { method: 'POST' })</script>",
      "/hops": `<button onclick="fetch('/hop', { method: 'POST', body: 'body' })">Hop</button>`,
      "/hop": (_request, response) => response.writeHead(307, { location: "/last" }).end(),
      "/last": (_request, response) => response.writeHead(201).end(),
      "/saving": `<button onclick="fetch('/saved', { method: 'POST' }).then(show)">Save</button><script>
        document.cookie = "seen=1";
        async function show(response) {
          const { status, statusText, headers } = response;
          document.title = [status, statusText, headers.get("x-extra"), await response.text(), document.cookie].join(" ");
        }</script>`,
      "/leaving": `<button onclick="fetch('/saved', { method: 'POST' }).then(() => { location = '/left' })">Save</button>`,
      "/saved": (_request, response) => {
        response.writeHead(202, "Fine", {
          "content-type": "application/json",
          "content-encoding": "gzip",
          "set-cookie": ["hidden=1; HttpOnly", "shown=2"],
          "x-extra": "extra",
        });
        response.end(gzipSync('{"ok":false,"name":"Größe"}'));
      },
      "/parties": (_request, response) => {
        const { url } = other;
        response.setHeader("content-type", "text/html");
        response.end(`<button onclick="fetch('${url}/third', { method: 'POST', mode: 'no-cors' })">Third</button>`);
      },
    },
    { webSocket: true },
  );
  pool = await openSharedPool({ maxWrites: 20 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

describe("requests that a page sends", () => {
  it("are recorded once, however they are sent", async () => {
    const session = await openSession(pool, [site]);
    for (const name of Object.keys(WAYS_TO_WRITE)) {
      const mark = session.mark();
      await session.goto(`${site.url}/`, never);
      await click(session, name);
      const writes = () => session.since(mark).requests.filter(isWrite);
      await until(() => writes().some(({ url }) => new URL(url).pathname === `/${name}`));
      expect(
        writes().map(({ url }) => new URL(url).pathname),
        name,
      ).toEqual([`/${name}`]);
      await until(() => writes().every(({ status }) => status !== null));
      expect(writes()[0], name).toMatchObject({ status: name.includes("websocket") ? 101 : 200, isFirstParty: true });
    }
    expect(session.writes().map(({ url }) => new URL(url).pathname)).toEqual(
      Object.keys(WAYS_TO_WRITE).map((name) => `/${name}`),
    );
  });
});

it("are recorded one by one over a WebSocket, with what they carry, but not when they repeat themselves", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/chat`, never);
  await until(() => session.writes().length > 0);
  const mark = session.mark();
  await click(session, "Send");
  await until(() => session.since(mark).requests.length > 0);
  const sent = session
    .since(mark)
    .requests.map(({ method, status, sent: body }) => ({ method, status, values: body?.values }));
  expect(sent).toEqual([
    {
      method: "WEBSOCKET",
      status: 101,
      values: [
        { name: "", value: "input" },
        { name: "text", value: "Good morning" },
      ],
    },
  ]);
});

it("are recorded for each hop of a redirect, with its status and the hash of the body", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/hops`, never);
  const mark = session.mark();
  await click(session, "Hop");
  const bodyHash = createHash("sha256").update("body").digest("hex");
  expect(session.since(mark).requests).toMatchObject([
    { method: "POST", url: `${site.url}/hop`, resourceType: "fetch", status: 307, bodyHash },
    { method: "POST", url: `${site.url}/last`, resourceType: "fetch", status: 201, bodyHash },
  ]);
});

it("get their JSON response unchanged, and it is recorded without being shown", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/saving`, never);
  await session.settle(() => click(session, "Save"), never);
  const { title } = await session.observe(never);
  expect(title).toBe('202 Fine extra {"ok":false,"name":"Größe"} seen=1; shown=2');
  const [write] = session.writes();
  expect(write?.received?.data).toEqual({ ok: false, name: "Größe" });
  expect(JSON.stringify(write)).not.toContain("Größe");
});

it("get a JSON response that is recorded even if the page leaves at once", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/leaving`, never);
  await session.settle(() => click(session, "Save"), never);
  expect((await session.observe(never)).url).toBe(`${site.url}/left`);
  expect(session.writes()[0]?.received?.data).toMatchObject({ ok: false });
});

it("are not first-party when they go to another site", async () => {
  const session = await openSession(pool, [], {
    allowedHosts: "public",
    privateHosts: [site.host, `localhost:${other.port}`],
  });
  await session.goto(`${site.url}/parties`, never);
  other.url = `http://localhost:${other.port}`;
  await session.goto(`${site.url}/parties`, never);
  await click(session, "Third");
  expect(session.writes()).toMatchObject([{ url: `${other.url}/third`, status: 200, isFirstParty: false }]);
});

it("end the run when they never stop", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/many`, never).catch(() => {});
  const look = () =>
    session.observe(never).then(
      () => false,
      (error) => error instanceof SessionLost,
    );
  await until(look);
  await expect(session.observe(never)).rejects.toThrow("more than 20 requests");
});
