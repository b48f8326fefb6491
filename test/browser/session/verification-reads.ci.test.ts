import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ObservedNode, textOf } from "../../../src/browser/observation/observation.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { click, never, observeFresh, openSession, readText, type Site, serve } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

/** Shows what the API responds to the POST that the page sends while it loads. */
function pageOf(body: unknown, path = "/api"): string {
  return `<p>nothing</p><button onclick="save()">Save</button><script>
    const post = (body) => fetch(${JSON.stringify(path)}, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
    });
    post(${JSON.stringify(body)}).then((response) => response.text())
      .then((text) => { document.querySelector("p").textContent = text; });
    function save() { post({ action: "persistEntry" }); }
  </script>`;
}

/** Asks over a WebSocket for what it shows, and can change it. */
const SOCKET_PAGE = `<p>nothing</p><button onclick="socket.send('change'); socket.send('ask')">Change</button><script>
  const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
  socket.onopen = () => { socket.send(location.search === "?acts" ? "change" : "ask"); };
  socket.onmessage = ({ data }) => { document.querySelector("p").textContent = "echo of " + data; };
</script>`;

/** As Socket.IO begins: messages by POST, to an address that is another one each time. */
const POLLING_PAGE = `<p>nothing</p><script>
  const send = (body) => fetch("/polling?EIO=4&transport=polling&t=" + Math.random(), { method: "POST", body });
  send(location.search === "?acts" ? '40\u001e42["change"]' : "40").then((response) => response.text())
    .then((text) => { document.querySelector("p").textContent = text; });
</script>`;

const received: string[] = [];

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += chunk;
  received.push(body);
  response.end(`entry ${received.length}`);
}

const SLOW_PART = `<p>Loading entries...</p><script>
  setTimeout(() => { document.querySelector("p").textContent = "ready"; }, 2_000);
</script>`;

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve(
    {
      "/graphql-page": pageOf({ query: "query Entry { entry { title } }" }),
      "/mutation-page": pageOf({ query: "mutation { open }" }),
      "/rpc-page": pageOf({ action: "getEntry", id: 3 }),
      "/other-page": pageOf({ action: "openEntries" }),
      "/api": respond,
      "/slow-page": SLOW_PART,
      "/slow-part-page": `<h1>Entries</h1>${"<li>Another line of the page</li>".repeat(9)}${SLOW_PART}`,
      "/slow-content-page": `<h1>Settings</h1><button>Save</button><script>
        setTimeout(() => { document.body.append("Theme: green. ".repeat(20)); }, 2_000);
        fetch("/api");
      </script>`,
      "/delayed-page": `<h1>Settings</h1><button>Save</button><script>
        setTimeout(() => { document.body.append("Theme: green. ".repeat(20)); }, 900);
      </script>`,
      "/socket-page": SOCKET_PAGE,
      "/polling-page": POLLING_PAGE,
      "/polling": respond,
    },
    { webSocket: true },
  );
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function open(path: string) {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}${path}`, never);
  await expect.poll(() => readText(session)).toMatch(/entry/);
  return session;
}

async function verify(session: Awaited<ReturnType<typeof open>>, path: string): Promise<string> {
  const { observation } = await observeFresh(session, `${site.url}${path}`);
  return textOf(observation.root);
}

it("a GraphQL query reads, also where the run has not sent it", async () => {
  const session = await open("/rpc-page");
  expect(await verify(session, "/graphql-page")).toMatch(/entry \d/);
});

it("a request that is named as a read passes if the run has sent the same", async () => {
  const session = await open("/rpc-page");
  expect(await verify(session, "/rpc-page")).toMatch(/entry \d/);
  const other = await open("/graphql-page");
  expect(await verify(other, "/rpc-page")).toMatch(/^nothing/);
});

it("what has no telling name passes if pages sent it before the run did anything", async () => {
  const visiting = await open("/other-page");
  await click(visiting, "Save");
  expect(await verify(visiting, "/other-page")).toMatch(/entry \d/);
  const acting = await open("/rpc-page");
  await click(acting, "Save");
  await acting.goto(`${site.url}/other-page`, never);
  await expect.poll(() => readText(acting)).toMatch(/entry/);
  expect(await verify(acting, "/other-page")).toMatch(/^nothing/);
});

it("a change never passes", async () => {
  const session = await open("/rpc-page");
  await click(session, "Save");
  const before = received.length;
  expect(await verify(session, "/mutation-page")).toMatch(/^nothing/);
  expect(received).toHaveLength(before);
});

it("read-only access lets GraphQL queries through, and nothing that is only named as a read", async () => {
  const session = await openSession(pool, [site], { access: "read_only" });
  await session.goto(`${site.url}/graphql-page`, never);
  await expect.poll(() => readText(session)).toMatch(/entry/);
  const before = received.length;
  await session.goto(`${site.url}/rpc-page`, never);
  expect(await readText(session)).toMatch(/^nothing/);
  expect(received).toHaveLength(before);
});

it("a WebSocket repeats what the pages of the run have sent, and nothing else", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/socket-page`, never);
  await expect.poll(() => readText(session)).toMatch(/echo of ask/);
  const isReady = (root: ObservedNode) => textOf(root).includes("echo");
  const { observation } = await observeFresh(session, `${site.url}/socket-page`, { isReady });
  expect(textOf(observation.root)).toMatch(/echo of ask/);
  expect(await verify(session, "/socket-page?acts")).toMatch(/^nothing/);
});

it("messages by POST that stand for a WebSocket are treated like it", async () => {
  const session = await open("/polling-page");
  expect(session.since(0 as never).requests.find(({ url }) => url.includes("/polling?"))).toMatchObject({
    resourceType: "websocket",
  });
  expect(await verify(session, "/polling-page")).toMatch(/entry \d/);
  expect(await verify(session, "/polling-page?acts")).toMatch(/^nothing/);
});

it("an application that is still loading is observed again", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  expect(await verify(session, "/slow-page")).toMatch(/ready/);
  expect(await verify(session, "/slow-part-page")).toMatch(/ready/);
  const isReady = (root: ObservedNode) => textOf(root).length > 100;
  const { observation } = await observeFresh(session, `${site.url}/slow-content-page`, { isReady });
  expect(textOf(observation.root)).toMatch(/green/);
  const delayed = await observeFresh(session, `${site.url}/delayed-page`, { isReady, cameLate: true });
  expect(textOf(delayed.observation.root)).toMatch(/green/);
  // A page that asks for nothing and came at once in the run may have changed for good.
  const changed = await observeFresh(session, `${site.url}/delayed-page`, { isReady });
  expect(textOf(changed.observation.root)).not.toMatch(/green/);
});
