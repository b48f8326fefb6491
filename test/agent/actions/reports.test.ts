import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { performCalls } from "../../../src/agent/actions/perform-calls.ts";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";
import { SessionLost } from "../../../src/browser/session/browser-session.ts";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/next", "<h1>Arrived</h1>");
});

afterAll(() => world[Symbol.asyncDispose]());

describe("a report", () => {
  test("shows lines that appeared and disappeared, and the requests that were made", async () => {
    world.site.respond = ({ path }, response) => path === "/like" && Boolean(response.writeHead(201).end());
    const page = await world.open(
      `<p id="count">3 likes</p><button onclick="fetch('/like', { method: 'POST' }).then(() => { count.textContent = '4 likes' })">
       Like</button>`,
    );
    const report = await page.act("click", "Like");
    expect(report).toMatchObject({
      failure: null,
      added: [expect.stringContaining("4 likes")],
      urlAfter: `${world.site.url}/`,
    });
    expect(report.removed).toContainEqual(expect.stringContaining("3 likes"));
    expect(report.events.requests).toMatchObject([{ method: "POST", url: `${world.site.url}/like`, status: 201 }]);
  });

  test('shows the status 500 behind a page that says "Saved!"', async () => {
    world.site.respond = ({ path }, response) => path === "/save" && Boolean(response.writeHead(500).end());
    const page = await world.open(
      `<button onclick="fetch('/save', { method: 'POST', body: 'x' }); said.textContent = 'Saved!'">Save</button><p id="said"></p>`,
    );
    const report = await page.act("click", "Save");
    expect(report.added.join()).toContain("Saved!");
    expect(report.events.requests).toMatchObject([{ method: "POST", status: 500 }]);
  });

  test("waits for the slow response to a form", async () => {
    world.site.respond = ({ path }, response) => {
      if (path !== "/order") return false;
      setTimeout(() => response.setHeader("content-type", "text/html").end("<h1>Thank you</h1>"), 1500);
      return true;
    };
    const page = await world.open(`<form method="post" action="/order"><button>Order</button></form>`);
    const report = await page.act("click", "Order");
    expect(report).toMatchObject({ failure: null, urlAfter: `${world.site.url}/order` });
    expect(report.added.join()).toContain("Thank you");
  });

  test.each([
    ["a live region", 'role="status"'],
    ["a corner of the window", 'style="position: fixed; right: 0; bottom: 0"'],
  ])("shows a notice that appeared in %s and has vanished again", async (_, how) => {
    world.site.respond = ({ path }, response) => {
      if (path !== "/save") return false;
      setTimeout(() => response.writeHead(204).end(), 900);
      return true;
    };
    const page = await world.open(
      `<div id="toasts" ${how}></div><input type="password" value="canary-word" aria-label="Password"><button onclick="
         fetch('/save', { method: 'POST' });
         const add = (text) => { const toast = document.createElement('div'); toast.textContent = text; toasts.append(toast);
           setTimeout(() => toast.remove(), 300); };
         add('Draft kept'); add('Your word is canary-word');
         for (const style of ['opacity: 0', 'position: absolute; width: 1px; height: 1px; overflow: hidden',
                              'position: absolute; left: -5000px', 'clip-path: inset(50%)', 'font-size: 1px']) {
           const hidden = document.createElement('p'); hidden.style = style; hidden.textContent = 'Nobody sees this: ' + style;
           toasts.append(hidden); setTimeout(() => hidden.remove(), 300); }">Save</button>`,
    );
    const report = await page.act("click", "Save");
    expect(report.added).toContainEqual('status "Draft kept"');
    expect(report.added.join()).not.toMatch(/canary|Nobody/);
    const next = await page.act("click", "Save");
    expect(next.added.join()).not.toContain("Draft kept");
  });

  test.each([
    ["a form", "<p>Optional</p><label>Label <input></label>"],
    ["a question", "<p>Optional</p>"],
  ])("does not take what a dialog with %s loses for a notice", async (_, content) => {
    const page = await world.open(
      `<button onclick="
         const dialog = document.createElement('div'); dialog.style = 'position: fixed; inset: 50px; background: #fff';
         dialog.innerHTML = '<h2>Edit folder</h2>${content}<button>Close</button>';
         dialog.querySelector('button').onclick = () => dialog.remove();
         document.body.append(dialog)">Edit</button>`,
    );
    await page.act("click", "Edit");
    expect(page.text()).toContain("Optional");
    expect((await page.act("click", "Close")).added.join()).not.toContain("status");
  });

  test("is passed on after each call, with the observation at that time", async () => {
    const page = await world.open(`<label>A <input></label><label>B <input></label>`);
    const seen: [string, number][] = [];
    const calls = ["A", "B"].map((name) => ({
      action: "fill",
      input: { ref: page.find(name).ref, label: name, text: "x" },
    }));
    const { reports, observation } = await performCalls(calls, {
      session: page.session,
      observation: page.observation,
      secrets: new TaskSecrets(""),
      signal: AbortSignal.timeout(100_000),
      onReport: (report, after) => void seen.push([String(report.call.input.label), after.number]),
    });
    expect(reports).toHaveLength(2);
    expect(seen.map(([label]) => label)).toEqual(["A", "B"]);
    expect(seen.at(-1)?.[1]).toBe(observation.number);
  });
});

describe("does nothing", () => {
  const PAGE = `<button onclick="document.title = 'clicked'">Delete draft</button>`;

  test.each([
    ["an unknown action", "jump", {}, "invalid_input", 'no action "jump"'],
    ["a missing field", "click", { label: "x" }, "invalid_input", '"ref" is missing'],
    ["a field of the wrong type", "click", { ref: 7, label: "x" }, "invalid_input", '"ref" must be string'],
    ["an unknown field", "click", { ref: "e1", label: "x", force: true }, "invalid_input", 'no field "force"'],
    ["a value outside the enum", "scroll", { direction: "left" }, "invalid_input", "one of down, up"],
    ["a ref that is not on the page", "click", { ref: "e999", label: "x" }, "stale", "e999"],
  ])("for %s", async (_name, action, input, kind, message) => {
    const page = await world.open(PAGE);
    const [report] = await page.perform([{ action, input }]);
    expect(report?.failure).toMatchObject({ kind, message: expect.stringContaining(message) });
  });

  test("if the element has another name than the planner believes", async () => {
    const page = await world.open(PAGE);
    const { ref } = page.find("Delete draft");
    const [report] = await page.perform([{ action: "click", input: { ref, label: "Save" } }]);
    expect(report?.failure?.kind).toBe("stale");
    expect(report?.failure?.message).toContain('"Delete draft"');
    expect(report?.failure?.message).toContain('"Save"');
    expect(page.observation.title).toBe("/");
  });

  test("if the element was renamed in place since the observation", async () => {
    const page = await world.open(
      `<button onclick="document.title = 'bought'">Next</button>
       <script>onkeydown = () => { document.querySelector("button").textContent = "Buy now" }</script>`,
    );
    await page.session.press("x");
    expect((await page.act("click", "Next")).failure).toMatchObject({ kind: "stale" });
    expect(page.observation.title).toBe("/");
    expect((await page.act("click", "Buy now")).failure).toBeNull();
  });
});

describe("dialogs", () => {
  test("block everything but a reply and reading, and the report of the reply shows its effect", async () => {
    const page = await world.open(
      `<button onclick="document.title = confirm('Really?') ? 'yes' : 'no'">Delete</button><button>Other</button>`,
    );
    const opened = await page.act("click", "Delete");
    expect(opened).toMatchObject({
      failure: null,
      events: { dialogs: [{ dialog: { message: "Really?" }, answer: null }] },
    });
    expect(page.observation.dialog).toMatchObject({ kind: "confirm" });
    const blocked = await page.act("click", "Other");
    expect(blocked.failure).toMatchObject({ kind: "dialog_open", message: expect.stringContaining("Really?") });
    expect((await page.act("read", null)).data).toMatchObject({ text: expect.stringContaining("Delete") });
    expect((await page.act("find", null, { words: "other" })).failure).toBeNull();
    expect((await page.act("dialog", null, { accept: true })).failure).toBeNull();
    expect(page.observation).toMatchObject({ dialog: null, title: "yes" });
    expect((await page.act("dialog", null, { accept: true })).failure).toMatchObject({ kind: "not_found" });
  });

  test("take text in a prompt", async () => {
    const page = await world.open(`<button onclick="document.title = prompt('Name?', 'x')">Rename</button>`);
    await page.act("click", "Rename");
    await page.act("dialog", null, { accept: true, text: "Plan B" });
    expect(page.observation.title).toBe("Plan B");
  });

  test("interrupt an action, which does not continue after the reply", async () => {
    const page = await world.open(
      `<form action="/next"><label>Name <input name="n" oninput="alert('Too short')"></label></form>`,
    );
    await page.act("fill", "Name", { text: "Ada", submit: true });
    for (let count = 0; page.observation.dialog !== null && count < 10; count++) {
      await page.act("dialog", null, { accept: true });
    }
    expect(page.observation.dialog).toBeNull();
    expect(page.observation.url).toBe(`${world.site.url}/`);
  });
});

describe("policy", () => {
  test.each(["https://elsewhere.example/", "file:///etc/passwd", "javascript:alert(1)", "data:text/html,hello"])(
    "refuses to go to %s",
    async (url) => {
      const page = await world.open(`<p>Home</p>`);
      expect((await page.act("goto", null, { url })).failure).toMatchObject({ kind: "policy" });
      expect(page.observation.url).toBe(`${world.site.url}/`);
    },
  );

  test("reports a click that leads away from the allowed hosts as refused", async () => {
    const page = await world.open(`<a href="http://elsewhere.example/x">Away</a>`, {});
    const report = await page.act("click", "Away");
    expect(report.failure).toMatchObject({ kind: "policy" });
    expect(report.events.refusedHosts).toContain("elsewhere.example:80");
    await page.session[Symbol.asyncDispose]();
  });

  test("does not send a form in a read-only run", async () => {
    const page = await world.open(`<form method="post" action="/next"><button>Send</button></form>`, {
      access: "read_only",
    });
    const report = await page.act("click", "Send");
    expect(report.failure).toMatchObject({ kind: "policy", message: expect.stringContaining("read-only access") });
    expect(world.site.arrivals.filter(({ method }) => method === "POST")).toEqual([]);
    await page.session[Symbol.asyncDispose]();
  });
});

test("reports a URL that does not respond as a failed navigation", async () => {
  const page = await world.open(`<p>Home</p>`, {
    allowedHosts: [`127.0.0.1:${world.site.port}`, "127.0.0.1:9"],
    privateHosts: ["127.0.0.1:9", `127.0.0.1:${world.site.port}`],
  });
  const report = await page.act("goto", null, { url: "http://127.0.0.1:9/" });
  expect(report.failure).toMatchObject({ kind: "navigation_failed" });
  await page.session[Symbol.asyncDispose]();
});

test("ends the calls with the reason of an abort", async () => {
  const page = await world.open(`<p>Home</p>`);
  const stop = new AbortController();
  const reason = new Error("enough");
  const waiting = performCalls([{ action: "wait_for", input: { text: "never" } }], {
    session: page.session,
    observation: page.observation,
    secrets: new TaskSecrets(""),
    signal: stop.signal,
  });
  stop.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

test("does not report a lost browser as a failed action", async () => {
  const page = await world.open(`<button>Go</button>`, {});
  await page.session[Symbol.asyncDispose]();
  await expect(page.act("click", "Go")).rejects.toBeInstanceOf(SessionLost);
});
