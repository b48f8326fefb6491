import { afterAll, beforeAll, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "./_harness/action-page.ts";

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
     <div id="veil" style="position:fixed;inset:0" hidden>Loading</div>`,
  );
  await page.act("click", "Load");
  expect(page.text()).toContain("Loading");
  const report = await page.act("click", "Save");
  expect(report.failure).toBeNull();
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
