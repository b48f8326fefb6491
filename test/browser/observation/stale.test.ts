import { afterAll, beforeAll, expect, it } from "vitest";
import { StaleElement } from "../../../src/browser/observation/pin-element.ts";
import { nodesOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

const PAGE = `<button id="b">Archive</button> <p>or <span id="s" onclick="1">undo</span> it</p>
  <a id="a" href="/x"><b>Two</b> <i>parts</i></a> <label for="i">Name</label><input id="i">`;

it("pins the exact element that was observed", async () => {
  await using shown = await site.show(PAGE);
  const observation = await shown.observe();
  for (const [role, name, id] of [
    ["button", "Archive", "b"],
    ["generic", "undo", "s"],
    ["link", "Two parts", "a"],
    ["textbox", "Name", "i"],
  ] as const) {
    const pinned = await shown.observer.pin(refOf(observation, role, name));
    expect(pinned).toMatchObject({ role, name });
    expect(await pinned.handle.evaluate((element) => element.id)).toBe(id);
  }
});

it.each([
  ["a button", "button", "Archive", `document.querySelector("#b").textContent = "Delete"`],
  ["a button with a longer name", "button", "Archive", `document.querySelector("#b").textContent = "Archive all"`],
  ["a link", "link", "Two parts", `document.querySelector("#a b").textContent = "Three"`],
  ["a field", "textbox", "Name", `document.querySelector("label").textContent = "Password"`],
  ["a clickable word in a text", "generic", "undo", `document.querySelector("#s").textContent = "redo"`],
])("refuses %s that was renamed in place", async (_, role, name, script) => {
  await using shown = await site.show(PAGE);
  const ref = refOf(await shown.observe(), role, name);
  await shown.page.evaluate(script);
  await expect(shown.observer.pin(ref)).rejects.toThrow(StaleElement);
});

it.each([
  ["button", "Archive", "b"],
  ["generic", "undo", "s"],
])("refuses a %s that was removed, even if an equal one took its place", async (role, name, id) => {
  await using shown = await site.show(PAGE);
  const ref = refOf(await shown.observe(), role, name);
  await shown.page.evaluate((one) => {
    const element = document.getElementById(one);
    element?.replaceWith(element.cloneNode(true));
  }, id);
  await expect(shown.observer.pin(ref)).rejects.toThrow(StaleElement);
});

it("refuses targets of a page that was left, and of a frame that is gone", async () => {
  await using shown = await site.show(`${PAGE}<iframe srcdoc="<button>Inner</button>"></iframe>`);
  const observation = await shown.observe();
  const refs = nodesOf(observation).flatMap(({ ref }) => ref ?? []);
  expect(refs).toHaveLength(5);
  const inner = refOf(observation, "button", "Inner");
  await shown.page.evaluate(() => document.querySelector("iframe")?.remove());
  await expect(shown.observer.pin(inner)).rejects.toThrow(StaleElement);
  await shown.page.goto(`${site.site.url}/elsewhere`);
  for (const ref of refs) await expect(shown.observer.pin(ref)).rejects.toThrow(StaleElement);
});

it("refuses refs that are not in the newest observation", async () => {
  await using shown = await site.show(PAGE);
  await expect(shown.observer.pin("e1")).rejects.toThrow(StaleElement);
  const old = refOf(await shown.observe(), "generic", "undo");
  await shown.page.evaluate(() => document.querySelector("#s")?.remove());
  await shown.observe();
  await expect(shown.observer.pin(old)).rejects.toThrow(StaleElement);
  await expect(shown.observer.pin("nonsense")).rejects.toThrow(StaleElement);
});

it("accepts targets that were only typed into, moved or restyled", async () => {
  await using shown = await site.show(PAGE);
  const observation = await shown.observe();
  await shown.page.getByLabel("Name").fill("Ann");
  await shown.page.evaluate(() => document.body.style.setProperty("text-transform", "uppercase"));
  await shown.page.evaluate(() => document.body.prepend(document.createElement("hr")));
  for (const { ref, name } of nodesOf(observation)) {
    if (ref !== null) expect(await shown.observer.pin(ref)).toMatchObject({ name });
  }
});
