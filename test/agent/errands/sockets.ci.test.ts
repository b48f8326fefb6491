import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { WebSocketServer } from "ws";
import { startTestAgent, type TestAgent } from "../../_harness/agent.ts";
import { type Site, serve } from "../../_harness/browser-session.ts";

/** A chat whose page sends everything over a WebSocket, and shows its own messages at once. */
const CHAT = `<!doctype html><html lang="en"><title>Chat</title><p id="status">Connecting…</p>
  <form id="door"><label>User <input id="user"></label> <label>Password <input id="password" type="password"></label>
    <button>Sign in</button></form>
  <main id="room" hidden><h1>Market</h1> <p>Topic: <span id="shown"></span></p> <ul id="posts"></ul>
    <label>Message <input id="message"></label> <button id="send">Send</button>
    <label>Topic <input id="topic"></label> <button id="save">Save topic</button>
    <label>Away message <input id="away"></label>
    <label>Channel <input id="channel"></label> <button id="join">Join</button></main>
  <script>
    const socket = new WebSocket(location.origin.replace("http", "ws") + "/socket");
    const emit = (name, data) => socket.send(JSON.stringify([name, data]));
    const append = (text) => { posts.append(Object.assign(document.createElement("li"), { textContent: text })); };
    const refuse = (name) => {
      const button = Object.assign(document.createElement("button"), { textContent: name });
      room.append("Cannot join ", button, " - Channel is invite only.");
    };
    socket.onopen = () => {
      const { user = "hanna", token } = localStorage;
      status.textContent = token ? "Authorizing…" : "";
      if (token) emit("auth:perform", { user, token });
    };
    socket.onmessage = ({ data }) => {
      const [name, value] = JSON.parse(data);
      if (name === "post") append(value);
      if (name === "refused") refuse(value);
      if (name !== "init") return;
      localStorage.token = value.token;
      status.textContent = "";
      location.hash = "#/market";
      [door.hidden, room.hidden] = [true, false];
      [shown.textContent, topic.value, away.value] = [value.topic, value.topic, value.away];
      value.posts.forEach(append);
      value.refused.forEach(refuse);
    };
    door.onsubmit = () => {
      localStorage.user = user.value;
      emit("auth:perform", { user: user.value, password: password.value });
      return false;
    };
    send.onclick = () => { append(message.value); emit("input", { text: message.value }); message.value = ""; };
    save.onclick = () => { shown.textContent = topic.value; emit("input", { text: "/topic " + topic.value }); };
    join.onclick = () => { emit("input", { text: "/join " + channel.value }); channel.value = ""; };
    away.onchange = () => emit("setting:set", { name: "away", value: away.value });
  </script>`;

const TOKEN = "f3a9c07be15d4628a0";
const SCALES = "Who brings the scales?";
const REFUSAL = "Cannot send to channel";

let agent: TestAgent;
let site: Site;
let stored: { posts: string[]; topic: string; away: string; refused: string[] };
/** Whether the server keeps what it is sent. */
let keeps: boolean;
/** Whether the server shows a message and refuses to pass it on. */
let isMuted: boolean;
let received: string[];

const sockets = new WebSocketServer({ noServer: true });
sockets.on("connection", (socket) => {
  socket.on("message", (message) => {
    const [name, data] = JSON.parse(String(message)) as [string, Record<string, string>];
    received.push(name);
    const isKnown = data["password"] === "rosemary" || data["token"] === TOKEN;
    if (name === "auth:perform" && isKnown) socket.send(JSON.stringify(["init", { ...stored, token: TOKEN }]));
    if (name === "auth:perform" || !keeps) return;
    if (name === "setting:set") stored.away = data["value"] ?? "";
    else for (const event of take(data["text"] ?? "")) socket.send(JSON.stringify(event));
  });
});

/** Stores what was typed. Returns what the page is told. */
function take(text: string): [string, string][] {
  const [command = "", ...words] = text.split(" ");
  const rest = words.join(" ");
  if (command === "/join") {
    stored.refused.push(rest);
    return [["refused", rest]];
  }
  if (command === "/topic") stored.topic = rest;
  else stored.posts.push(text, ...(isMuted ? [REFUSAL] : []));
  return isMuted ? [["post", REFUSAL]] : [];
}

beforeAll(async () => {
  agent = await startTestAgent();
  site = await serve(
    { "/": CHAT },
    {
      webSocket: (request, socket) => {
        sockets.handleUpgrade(request, socket, Buffer.alloc(0), (open) => sockets.emit("connection", open, request));
      },
    },
  );
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(() => {
  stored = { posts: [SCALES], topic: "Stall on Saturday", away: "At home", refused: [] };
  received = [];
  keeps = true;
  isMuted = false;
});

/** Signed in already. */
function run(prompt: string) {
  const storage = { cookies: [], origins: [{ origin: site.url, localStorage: [{ name: "token", value: TOKEN }] }] };
  return agent.run({ prompt, startUrl: site.url, state: { storage, sessionStorage: [] } });
}

const TASKS = [
  ["a message", 'Fill Message with "I bring them." and click Send.', { posts: [SCALES, "I bring them."] }],
  ["a topic", 'Change Topic to "Stall on Sunday" and click Save topic.', { topic: "Stall on Sunday" }],
  ["a setting", 'Change Away message to "In the garden" and press Tab.', { away: "In the garden" }],
] as const;

test.each(TASKS)("%s is sent over a WebSocket, and a fresh page shows it", async (_, prompt, change) => {
  const { outcome } = await run(prompt);
  expect(stored).toMatchObject(change);
  expect(outcome).toMatchObject({ kind: "verified" });
  expect(received.filter((name) => name !== "auth:perform")).toHaveLength(1);
});

test.each(TASKS)("%s that the server loses is not verified", async (_, prompt) => {
  keeps = false;
  const { outcome } = await run(prompt);
  expect(outcome.kind).toBe("failed");
});

test("after a sign-in with a password, fresh pages sign in with the token", async () => {
  const signIn = 'Fill User with "hanna" and Password with "rosemary", then click Sign in.';
  const prompt = `${signIn} Then fill Message with "I bring them." and click Send.`;
  const { outcome } = await agent.run({ prompt, startUrl: site.url });
  expect(stored.posts).toEqual([SCALES, "I bring them."]);
  expect(outcome).toMatchObject({ kind: "verified" });
});

test("a message that is shown together with a refusal is not verified", async () => {
  isMuted = true;
  const { outcome } = await run('Fill Message with "I bring them." and click Send.');
  expect(stored.posts).toEqual([SCALES, "I bring them.", REFUSAL]);
  expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining(REFUSAL) });
});

test("a name in the middle of a refusal proves nothing", async () => {
  const { outcome } = await run(`steps:
  - fill: { target: Channel, value: "#keys" }
  - click: { role: button, name: Join }
  - expect: { text: "#keys" }
`);
  expect(stored.refused).toEqual(["#keys"]);
  expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("Cannot join #keys") });
});
