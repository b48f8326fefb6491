import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionPage, type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/next", "<h1>Arrived</h1>");
});

afterAll(() => world[Symbol.asyncDispose]());

const clickOn = (page: ActionPage, name: string) => ({
  action: "click",
  input: { ref: page.find(name).ref, label: name },
});

/** Needs no element, so only the stop itself can prevent it. */
const PRESS = { action: "press", input: { key: "x" } };

describe("a batch of calls stops", () => {
  const REST = `<button onclick="clicks.textContent += '!'">Rest</button><p id="clicks"></p>`;

  test.each([
    ["at a navigation", `<a href="/next">Go</a>${REST}`],
    ["at a reload of the same URL", `<button onclick="location.reload()">Go</button>${REST}`],
    ["at a form that leads to the same URL", `<form method="post" action="/"><button>Go</button></form>${REST}`],
    ["when the URL changes in place", `<button onclick="history.pushState(0, '', '/other')">Go</button>${REST}`],
    ["at a new tab", `<a href="/next" target="_blank">Go</a>${REST}`],
    ["at a dialog", `<button onclick="alert('Hm')">Go</button>${REST}`],
    ["when the next element is gone", `<button onclick="rest.remove()">Go</button><div id="rest">${REST}</div>`],
    [
      "when the next element has another name",
      `<button onclick="document.querySelectorAll('button')[1].textContent = 'Rest of all'">Go</button>${REST}`,
    ],
    ["at a failure", `<button disabled>Go</button>${REST}`],
  ])("%s", async (_name, html) => {
    const page = await world.open(html, {});
    const next = html.includes("Rest of all") || html.includes("remove()") ? clickOn(page, "Rest") : PRESS;
    const reports = await page.perform([clickOn(page, "Go"), next]);
    expect(reports.map(({ call }) => call.input.label)).toEqual(["Go"]);
    await page.session[Symbol.asyncDispose]();
  });

  test("before anything but an entry, when the page has only replaced its URL", async () => {
    const save = `oninput="history.replaceState(0, '', '/drafts/7')"`;
    const page = await world.open(`<label>Title <input ${save}></label><label>Text <input></label>${REST}`);
    const fill = (name: string) => ({ action: "fill", input: { ref: page.find(name).ref, label: name, text: "Tea" } });
    const reports = await page.perform([fill("Title"), fill("Text"), clickOn(page, "Rest")]);
    expect(reports.map(({ call, failure }) => [call.input.label, failure])).toEqual([
      ["Title", null],
      ["Text", null],
    ]);
    expect(reports[0]?.urlAfter).toContain("/drafts/7");
  });

  test("after five calls, and not before", async () => {
    const page = await world.open(`${REST}<a href="#" onclick="clicks.textContent += '?'">Idle</a>`);
    const reports = await page.perform([clickOn(page, "Idle"), ...Array(6).fill(clickOn(page, "Rest"))]);
    expect(reports.map(({ failure }) => failure)).toEqual([null, null, null, null, null]);
    expect(page.text()).toContain("?!!!!");
    expect(page.text()).not.toContain("!!!!!");
  });
});
