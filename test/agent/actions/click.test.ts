import { afterAll, beforeAll, expect, test } from "vitest";
import type { ActionCall } from "../../../src/agent/actions/action.ts";
import { performCalls } from "../../../src/agent/actions/perform-calls.ts";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";
import { walk } from "../../../src/browser/observation/observation.ts";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/next", "<h1>Arrived</h1>");
});

afterAll(() => world[Symbol.asyncDispose]());

test("hits a link that wraps over two lines on its text, not in the gap of its box", async () => {
  const page = await world.open(
    `<p style="width:300px;font:20px monospace">Wwwwwwwwwwwwwwwww <a href="/next">terms ok</a> wwwwwwwwwwww</p>`,
  );
  const report = await page.act("click", "terms ok");
  expect(report.failure).toBeNull();
  expect(report.urlAfter).toBe(`${world.site.url}/next`);
  expect(report.added.join()).toContain("Arrived");
});

test("names an overlay and clicks nothing", async () => {
  const page = await world.open(
    `<button onclick="document.title='clicked'">Save</button>
     <div role="dialog" aria-label="Cookie settings" style="position:fixed;inset:0;background:#fff">
       <p>We like cookies</p><button onclick="this.parentElement.remove()">Reject all</button></div>`,
  );
  const covered = await page.act("click", "Save");
  expect(covered.failure).toMatchObject({
    kind: "covered",
    message: expect.stringContaining('dialog "Cookie settings"'),
  });
  expect(page.observation.title).toBe("/");
  await page.act("click", "Reject all");
  expect((await page.act("click", "Save")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("waits for an overlay that goes away by itself", async () => {
  const page = await world.open(
    `<button onclick="document.title='clicked'">Save</button>
     <button onclick="veil.hidden = false; setTimeout(() => veil.remove(), 700)">Load</button>
     <div id="veil" style="position:fixed;inset:0" hidden>Loading <button>Cancel</button></div>`,
  );
  await page.act("click", "Load");
  expect(page.text()).toContain("Loading");
  const report = await page.act("click", "Save");
  expect(report.failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("waits longer for a notice that covers it", async () => {
  const page = await world.open(
    `<button onclick="document.title='clicked'">Save</button><button onclick="note.hidden = false">Show</button>
     <div id="note" role="status" style="position:fixed;top:0;left:0;width:70px;height:60px;background:#eee" hidden>Sent</div>`,
  );
  await page.act("click", "Show");
  const { handle } = await page.session.pin(page.find("Save").ref);
  await handle.evaluate(() => void setTimeout(() => document.getElementById("note")?.remove(), 2000));
  expect((await page.act("click", "Save")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("scrolls a target out from under a fixed header", async () => {
  const page = await world.open(
    `<header style="position:fixed;top:0;left:0;right:0;height:200px;background:#eee">Bar</header>
     <div style="height:2000px"></div><button onclick="document.title='clicked'">Far</button><div style="height:2000px"></div>
     <script>document.querySelector("button").scrollIntoView()</script>`,
  );
  expect((await page.act("click", "Far")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("hits elements in open and closed shadow roots and in frames", async () => {
  world.site.pages.set("/inner", `<button onclick="parent.document.title='frame'">Inside frame</button>`);
  const page = await world.open(
    `<x-box></x-box><x-shut></x-shut><div style="padding:40px"><iframe src="/inner" style="border:7px solid;padding:9px"></iframe></div>
     <script>
       const make = (mode, name) => class extends HTMLElement {
         connectedCallback() { this.attachShadow({ mode }).innerHTML = "<button>" + name + "</button>";
           this.addEventListener("click", () => { document.title = name }) } };
       customElements.define("x-box", make("open", "In the open"));
       customElements.define("x-shut", make("closed", "Behind the door"));
     </script>`,
  );
  expect((await page.act("click", "In the open")).failure).toBeNull();
  expect(page.observation.title).toBe("In the open");
  expect((await page.act("click", "Behind the door")).failure).toBeNull();
  expect(page.observation.title).toBe("Behind the door");
  expect((await page.act("click", "Inside frame")).failure).toBeNull();
  expect(page.observation.title).toBe("frame");
});

test("detects an overlay outside the frame", async () => {
  world.site.pages.set("/inner", `<button>Inside frame</button>`);
  const page = await world.open(
    `<iframe src="/inner"></iframe><div style="position:fixed;inset:0" role="alert">Sign up now</div>`,
  );
  const report = await page.act("click", "Inside frame");
  expect(report.failure).toMatchObject({ kind: "covered", message: expect.stringContaining('alert "Sign up now"') });
});

test("clicks a label beside the link in it", async () => {
  const page = await world.open(
    `<style>input { position: absolute; left: -9999px } label { display: inline-block }</style>
     <input type="checkbox" id="agree"><label for="agree">I agree to the <a href="/next">terms of use of this site</a></label>`,
  );
  const report = await page.act("click", "I agree to the terms of use of this site");
  expect(report).toMatchObject({ failure: null, urlAfter: `${world.site.url}/` });
  expect(page.find("I agree to the terms of use of this site").states.checked).toBe(true);
});

test("reports a disabled target, unless it is enabled shortly", async () => {
  const page = await world.open(
    `<button disabled>Never</button><button id="soon" disabled onclick="document.title='clicked'">Soon</button>
     <button onclick="setTimeout(() => { soon.disabled = false }, 300)">Prepare</button>`,
  );
  expect((await page.act("click", "Never")).failure).toMatchObject({ kind: "disabled" });
  await page.act("click", "Prepare");
  expect((await page.act("click", "Soon")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("clicks a target that never stops moving", async () => {
  const page = await world.open(
    `<style>@keyframes sway { to { transform: translateX(60px) } } button { animation: sway 1s infinite alternate }</style>
     <button onclick="document.title='clicked'">Catch me</button>`,
  );
  expect((await page.act("click", "Catch me")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("clicks a button that pulses without end, at a point that hits it", async () => {
  const page = await world.open(
    `<style>@keyframes pulse { to { transform: scale(1.2) } } button { animation: pulse 0.6s infinite alternate }</style>
     <button onclick="document.title='clicked'">Buy now</button><p onclick="document.title='missed'">Beside it</p>`,
  );
  expect((await page.act("click", "Buy now")).failure).toBeNull();
  expect(page.observation.title).toBe("clicked");
});

test("clicks what is around a field that leaves clicks to it", async () => {
  const page = await world.open(
    `<div onclick="document.title='opened'" style="padding:20px"><input aria-label="State" readonly value="Todo" style="pointer-events:none"></div>`,
  );
  expect((await page.act("click", "State")).failure).toBeNull();
  expect(page.observation.title).toBe("opened");
});

test("clicks a point of a canvas, and nowhere else", async () => {
  const page = await world.open(
    `<body style="margin:0"><canvas aria-label="Board" width="200" height="100" style="margin:50px"
       onclick="document.title = [event.offsetX, event.offsetY].join()" ondblclick="document.title += ' twice'"></canvas><button>Save</button>`,
  );
  expect((await page.act("click", "Board", { x: 80, y: 70 })).failure).toBeNull();
  expect(page.observation.title).toBe("30,20");
  await page.act("click", "Board", { x: 150, y: 90, double: true });
  expect(page.observation.title).toBe("100,40 twice");
  expect((await page.act("click", "Board", { x: 20, y: 70 })).failure).toMatchObject({
    kind: "invalid_input",
    message: expect.stringContaining("from x 50 to 250"),
  });
  expect((await page.act("click", "Save", { x: 80, y: 70 })).failure).toMatchObject({ kind: "invalid_input" });
});

test("accepts what a row says as its label, and refuses what it does not say", async () => {
  const page = await world.open(
    `<table><tr onclick="document.title='opened'"><td>Order 7</td><td>Sent</td></tr></table>`,
  );
  const row = [...walk(page.observation.root)].map(({ node }) => node).find(({ role }) => role === "row");
  const click = async (label: string) =>
    (await page.perform([{ action: "click", input: { ref: row?.ref, label } }]))[0]?.failure ?? null;
  expect(await click("Order 9")).toMatchObject({ kind: "stale" });
  expect(page.observation.title).toBe("/");
  for (const label of ["Order 7 | Sent", "clickable row", ""]) expect(await click(label)).toBeNull();
  expect(page.observation.title).toBe("opened");
});

test("double-clicks", async () => {
  const page = await world.open(`<button ondblclick="document.title='twice'">Edit</button>`);
  await page.act("click", "Edit", { double: true });
  expect(page.observation.title).toBe("twice");
});

test("chooses a native option by clicking it", async () => {
  const page = await world.open(
    `<select size="3" aria-label="Size" onchange="document.title=this.value"><option>Small<option>Large</select>`,
  );
  expect((await page.act("click", "Large")).failure).toBeNull();
  expect(page.observation.title).toBe("Large");
});

test("opens a menu by hovering", async () => {
  const page = await world.open(
    `<style>#menu { display: none } nav:hover #menu { display: block }</style>
     <nav><button>Products</button><div id="menu"><a href="/next">Lamps</a></div></nav>`,
  );
  const report = await page.act("hover", "Products");
  expect(report.added.join()).toContain("Lamps");
});

test("opens a context menu with the right button, and submits nothing", async () => {
  const page = await world.open(
    `<form action="/next"><button oncontextmenu="event.preventDefault(); menu.hidden = false">Row 7</button></form>
     <ul id="menu" role="menu" hidden><li role="menuitem">Rename</li></ul>`,
  );
  const report = await page.act("click", "Row 7", { right: true });
  expect(report.failure).toBeNull();
  expect(report.added).toContain('menuitem "Rename"');
  expect(report.urlAfter).toBe(report.urlBefore);
});

test("asks nobody whether it may click what is disabled", async () => {
  const page = await world.open(`<button disabled>Send</button>`);
  const asked: string[] = [];
  const gate = { admit: async ({ action }: ActionCall) => void asked.push(action), end: () => null };
  const { reports } = await performCalls(
    [{ action: "click", input: { ref: page.find("Send").ref, label: "Send" }, commit: "Send it." }],
    {
      session: page.session,
      observation: page.observation,
      secrets: new TaskSecrets(""),
      signal: AbortSignal.timeout(100_000),
      gate,
    },
  );
  expect(reports[0]?.failure?.kind).toBe("disabled");
  expect(asked).toEqual([]);
});

test("waits until a layer without any controls no longer covers all of the page", async () => {
  const page = await world.open(
    `<button onclick="splash.hidden = false; setTimeout(() => splash.remove(), 900)">Start</button>
     <div id="splash" style="position: fixed; inset: 0; background: #fff" hidden>Preparing the list</div>`,
  );
  await page.act("click", "Start");
  expect(page.text()).not.toContain("Preparing");
  expect(page.find("Start").isBehind).toBeUndefined();
});
