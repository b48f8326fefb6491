import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { textOf } from "../../../src/browser/observation/observation.ts";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import type { BrowserSession } from "../../../src/browser/session/browser-session.ts";
import {
  click,
  fill,
  never,
  observeFresh,
  openSession,
  readText,
  type Site,
  serve,
} from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

const TOKEN = "f3a9c07be15d4628a0";

/**
 * A chat. It signs in with a password or a stored token, subscribes, and repeats what is in its outbox. The transport is a
 * WebSocket, or with "?sse" requests and an event stream.
 */
const CHAT = `<p>Connecting…</p>
  <label>User <input id="user"></label> <label>Password <input id="password" type="password"></label>
  <button onclick="signIn()">Sign in</button>
  <label>Message <input id="message"></label>
  <button onclick="change({ type: 'post', text: message.value })">Send</button>
  <button onclick="change({ type: 'close', room: 1 })">Close room</button>
  <script>
    const options = new URLSearchParams(location.search);
    const say = (text) => { document.querySelector("p").textContent = text; };
    let send;
    function begin() {
      if (localStorage.token === undefined) return say("Please sign in.");
      const { user, token } = localStorage;
      for (const extra of JSON.parse(options.get("acts") ?? "[]")) send({ ...extra, token });
      send(options.has("unnamed") ? { op: 2, token } : { type: "auth", user, token });
    }
    function signIn() {
      localStorage.user = user.value;
      send({ type: "auth", user: user.value, password: password.value });
    }
    function change(message) {
      localStorage.outbox = JSON.stringify([...JSON.parse(localStorage.outbox ?? "[]"), message]);
      send(message);
    }
    function receive({ data }) {
      const { token, posts } = JSON.parse(data);
      if (token) localStorage.token = token;
      if (!posts) return send({ type: "subscribe", id: crypto.randomUUID(), room: 1 });
      if (posts && !window.isKnown) for (const message of JSON.parse(localStorage.outbox ?? "[]")) send(message);
      window.isKnown = true;
      say("Posts: " + posts.join(", "));
    }
    if (options.has("sse")) {
      send = (message) => fetch("/send", { method: "POST", body: JSON.stringify(message) });
      Object.assign(new EventSource("/events"), { onopen: begin, onmessage: receive });
    } else {
      const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
      send = (message) => socket.send(JSON.stringify(message));
      Object.assign(socket, { onopen: begin, onmessage: receive });
    }
  </script>`;

interface Message {
  type?: string;
  op?: number;
  token?: string;
  password?: string;
  text?: string;
}

let posts: string[] = [];
let received: Message[] = [];
let events: ServerResponse | null = null;

function handle(message: Message, tell: (data: object) => void): void {
  received.push(message);
  if (message.password === "rosemary") tell({ token: TOKEN });
  if ((message.type === "auth" || message.op === 2) && message.token === TOKEN) tell({});
  if (message.type === "post") posts.push(message.text ?? "");
  if (message.type === "subscribe" || message.type === "post") tell({ posts });
}

function openEvents(_request: IncomingMessage, response: ServerResponse): void {
  events = response.writeHead(200, { "content-type": "text/event-stream" });
  events.write(": open\n\n");
}

function receive(_request: IncomingMessage, response: ServerResponse, { body }: { body: string }): void {
  const to = events;
  // The page asks for its posts by signing in: over requests it cannot subscribe.
  handle(JSON.parse(body), (data) => void to?.write(`data: ${JSON.stringify({ ...data, posts })}\n\n`));
  response.end();
}

const sockets = new WebSocketServer({ noServer: true });
sockets.on("connection", (socket) => {
  socket.on("message", (text) => handle(JSON.parse(String(text)), (data) => socket.send(JSON.stringify(data))));
});

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve(
    { "/chat": CHAT, "/events": openEvents, "/send": receive },
    {
      webSocket: (request, socket) => {
        sockets.handleUpgrade(request, socket, Buffer.alloc(0), (open) => sockets.emit("connection", open, request));
      },
    },
  );
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  posts = ["The plums are ripe."];
  received = [];
});

async function signIn(path: string): Promise<BrowserSession> {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}${path}`, never);
  await expect.poll(() => readText(session)).toMatch(/Please sign in/);
  await fill(session, "User", "hanna");
  await fill(session, "Password", "rosemary");
  await click(session, "Sign in");
  await expect.poll(() => readText(session)).toMatch(/The plums are ripe/);
  return session;
}

/** What a fresh page shows, and what of it reached the site. */
async function verify(session: BrowserSession, path: string): Promise<{ text: string; reached: string[] }> {
  received = [];
  const { observation } = await observeFresh(session, `${site.url}${path}`);
  return { text: textOf(observation.root), reached: received.map(({ type, op }) => type ?? `op ${op}`) };
}

it.each(["/chat", "/chat?sse"])("a fresh page of %s signs in with the stored token", async (path) => {
  const session = await signIn(path);
  const { text } = await verify(session, path);
  expect(text).toMatch(/Posts: The plums are ripe/);
});

it.each(["/chat", "/chat?sse"])("a fresh page of %s does not send its outbox again", async (path) => {
  const session = await signIn(path);
  await fill(session, "Message", "I bring the scales.");
  await click(session, "Send");
  await click(session, "Close room");
  await expect.poll(() => received.map(({ type }) => type)).toContain("close");
  const { text, reached } = await verify(session, path);
  // The outbox is sent before this is shown.
  expect(text).toMatch(/Posts: The plums are ripe., I bring the scales\.(?!,)/);
  expect(reached).not.toContain("post");
  expect(reached).not.toContain("close");
  expect(posts).toHaveLength(2);
});

it.each([
  ["a change with a token", { type: "post", text: "bought" }],
  ["a sign-in that carries more", { type: "auth", pending: [{ text: "bought two of them" }] }],
  ["a sign-out", { type: "sign-out" }],
  ["a new password", { type: "auth:password", to: "parsley" }],
])("%s does not leave the verification context", async (_, message) => {
  const session = await signIn("/chat");
  const { text, reached } = await verify(session, `/chat?acts=${encodeURIComponent(JSON.stringify([message]))}`);
  expect(text).toMatch(/Posts: The plums are ripe/);
  expect(reached).toEqual(["auth", "subscribe"]);
});

it("a sign-in that is not named so passes if every visit sends it", async () => {
  const byPassword = await signIn("/chat");
  expect((await verify(byPassword, "/chat?unnamed")).reached).toEqual([]);
  const session = await openSession(pool, [site], { state: await byPassword.captureState() });
  await session.goto(`${site.url}/chat?unnamed`, never);
  await expect.poll(() => readText(session)).toMatch(/The plums are ripe/);
  await fill(session, "Message", "I bring the scales.");
  await click(session, "Send");
  const { text, reached } = await verify(session, "/chat?unnamed");
  expect(text).toMatch(/Posts: .*I bring the scales\.(?!,)/);
  expect(reached).toEqual(["op 2", "subscribe"]);
});
