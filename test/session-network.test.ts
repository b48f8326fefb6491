import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BrowserPool } from "../src/browser/browser-pool.ts";
import { SessionLost } from "../src/browser/session/browser-session.ts";
import { isWrite } from "../src/browser/session/network-record.ts";
import { click, never, openSession, type Site, serve, startPool, until } from "./_harness/browser-session.ts";

/** Each sends one POST, or one message, to the path that is its name. */
const WAYS: Record<string, string> = {
  fetch: "fetch('/fetch', { method: 'POST', body: 'x' })",
  xhr: "const xhr = new XMLHttpRequest(); xhr.open('PUT', '/xhr'); xhr.send('x')",
  beacon: "navigator.sendBeacon('/beacon', 'x')",
  keepalive: "fetch('/keepalive', { method: 'POST', body: 'x', keepalive: true })",
  form: "document.forms[0].submit()",
  tab: "document.forms[1].submit()",
  ping: "document.links[0].click()",
  frame: "document.querySelector('iframe').contentWindow.fetch('/frame', { method: 'POST' })",
  worker: "new Worker('/worker.js')",
  "service-worker": "navigator.serviceWorker.register('/service-worker.js')",
  websocket:
    "const socket = new WebSocket('ws://' + location.host + '/websocket'); socket.onopen = () => socket.send(1)",
  "worker-websocket": "new Worker('/worker-websocket.js')",
  "leaving-beacon": "onpagehide = () => navigator.sendBeacon('/leaving-beacon', 'x'); location.href = '/empty'",
  "leaving-fetch": `onpagehide = () => fetch('/leaving-fetch', { method: 'POST', body: 'x', keepalive: true });
    location.href = '/empty'`,
};

const PAGE = `<title>Ways</title><form method="post" action="/form"></form>
  <form method="post" action="/tab" target="_blank"></form> <a href="/empty" ping="/ping">ping</a> <iframe></iframe>
  ${Object.entries(WAYS).map(([name, script]) => `<button onclick="${script.replaceAll('"', "&quot;")}">${name}</button>`)}`;

let pool: BrowserPool;
let site: Site;
let other: Site;

beforeAll(async () => {
  other = await serve({});
  site = await serve(
    {
      "/": PAGE,
      "/worker.js": "fetch('/worker', { method: 'POST' })",
      "/worker-websocket.js": `const socket = new WebSocket("ws://" + location.host + "/worker-websocket");
        socket.onopen = () => socket.send("x");`,
      "/service-worker.js": `oninstall = () => skipWaiting();
        onactivate = (event) => event.waitUntil(fetch('/service-worker', { method: 'POST' }));`,
      "/many": "<script>for (let n = 0; n < 30; n++) fetch('/n' + n, { method: 'POST' })</script>",
      "/hops": `<button onclick="fetch('/hop', { method: 'POST', body: 'body' })">Hop</button>`,
      "/hop": (_request, response) => response.writeHead(307, { location: "/last" }).end(),
      "/last": (_request, response) => response.writeHead(201).end(),
      "/parties": (_request, response) => {
        const { url } = other;
        response.setHeader("content-type", "text/html");
        response.end(`<button onclick="fetch('${url}/third', { method: 'POST', mode: 'no-cors' })">Third</button>`);
      },
    },
    { webSocket: true },
  );
  pool = await startPool({ maxWrites: 20 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

describe("whatever way a page sends something", () => {
  it("it is recorded, once", async () => {
    const session = await openSession(pool, [site]);
    for (const name of Object.keys(WAYS)) {
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
      Object.keys(WAYS).map((name) => `/${name}`),
    );
  });
});

it("each hop of a redirect is a record, with its status and the hash of the body", async () => {
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

it("a request to another site is not the first party's", async () => {
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

it("a page that sends without end loses its run", async () => {
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
