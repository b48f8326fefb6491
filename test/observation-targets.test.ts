import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../src/browser/observation/observation.ts";
import { nodeOf, nodesOf, type ObservedSite, refOf, startObservedSite } from "./_harness/observed-page.ts";

let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

describe("gives every clickable element a ref", () => {
  it.each([
    ["a span with an inline handler", "generic", "Thing", `<p>Some <span onclick="hit()">Thing</span> here</p>`],
    [
      "a span with a pointer cursor",
      "generic",
      "Thing",
      `<p>Some <span class="t" style="cursor:pointer">Thing</span> here</p>`,
    ],
    ["a span with an event listener", "generic", "Thing", `<p>Some <span class="t">Thing</span> here</p>`],
    ["a table cell", "cell", "Thing", `<table><tr><td onclick="hit()">Thing</td><td>other</td></tr></table>`],
    ["a custom element", "generic", "Thing", `<x-tile class="t">Thing</x-tile>`],
    [
      "an item of a list with a delegated listener",
      "listitem",
      "Thing",
      `<ul class="t"><li>Thing</li><li>Other</li></ul>`,
    ],
    [
      "a shape",
      "generic",
      "red circle 40×40",
      `<svg width="99" height="99"><circle class="t" cx="50" cy="50" r="20" fill="red"/></svg>`,
    ],
    [
      "a box without text",
      "generic",
      "purple swatch 30×30",
      `<div class="swatch t" style="width:30px;height:30px;background:purple"></div>`,
    ],
    [
      "a button with only an icon",
      "button",
      "icon trash 20×20",
      `<button class="t" style="all:unset;width:20px;height:20px;display:block"><i class="icon-trash"></i></button>`,
    ],
  ])("%s", async (_, role, name, html) => {
    await using shown = await site.show(`<script>function hit() { document.title = "hit" }</script>${html}
      <script>document.querySelector(".t")?.addEventListener("click", hit)</script>`);
    const { handle } = await shown.observer.pin(refOf(await shown.observe(), role, name));
    await handle.click();
    expect(await shown.page.title()).toBe("hit");
  });
});

it("splits the text around a clickable element", async () => {
  await using shown = await site.show(
    `<p>Read <span onclick="1">the rules</span> and <span onclick="2">the prices</span>.</p>`,
  );
  const [paragraph] = nodesOf(await shown.observe(), "paragraph");
  expect(paragraph?.children.map(({ role, name }) => [role, name])).toEqual([
    ["text", "Read"],
    ["generic", "the rules"],
    ["text", "and"],
    ["generic", "the prices"],
    ["text", "."],
  ]);
});

it("gives no ref to a container of clickable elements", async () => {
  await using shown = await site.show(`<main id="app"><p>Some text</p><button>Save</button></main>
    <script>app.addEventListener("click", () => {})</script>`);
  const observation = await shown.observe();
  expect(nodesOf(observation).filter(({ ref }) => ref !== null)).toMatchObject([{ name: "Save" }]);
});

it("offers a hidden file input", async () => {
  await using shown = await site.show(
    `<label for="f">Add a photo</label><input id="f" type="file" style="display:none">`,
  );
  const observation = await shown.observe();
  expect(nodeOf(observation, "button", "Add a photo").field?.type).toBe("file");
  const { handle } = await shown.observer.pin(refOf(observation, "button", "Add a photo"));
  await handle.setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.from("x") });
  expect(nodeOf(await shown.observe(), "button", "Add a photo").value).toBe("cat.png");
});

it("reports the type and value of fields", async () => {
  await using shown = await site.show(`
    <label>Mail <input type="email" name="mail" placeholder="you@example.com" autocomplete="email" required></label>
    <label>Colour <select name="colour"><option>Red<option selected>Green<option>Blue</select></label>
    <label>Sizes <select multiple><option selected>S<option>M<option selected>L</select></label>
    <label><input type="checkbox"> Agree</label> <label><input type="checkbox" checked> News</label>
    <label><input type="radio" name="r" checked> One</label> <label><input type="radio" name="r"> Two</label>
    <label>Notes <textarea>two\nlines</textarea></label>
    <div contenteditable aria-label="Letter">Dear all</div>
    <label>Volume <input type="range" value="4" max="10"></label>`);
  const observation = await shown.observe();
  expect(nodeOf(observation, "textbox", "Mail")).toMatchObject({
    value: "",
    field: { type: "email", placeholder: "you@example.com", key: "mail", autocomplete: "email", isRequired: true },
  });
  const colour = nodeOf(observation, "combobox", "Colour");
  expect(colour).toMatchObject({ value: "Green", field: { type: "select", key: "colour", isRequired: false } });
  expect(colour.children.map(({ name, states }) => [name, states.selected])).toEqual([
    ["Red", false],
    ["Green", true],
    ["Blue", false],
  ]);
  expect(nodeOf(observation, "listbox", "Sizes").value).toBe("S, L");
  expect(nodeOf(observation, "checkbox", "Agree").states.checked).toBe(false);
  expect(nodeOf(observation, "checkbox", "News").states.checked).toBe(true);
  expect(nodeOf(observation, "radio", "One").states.checked).toBe(true);
  expect(nodeOf(observation, "radio", "Two").states.checked).toBe(false);
  expect(nodeOf(observation, "textbox", "Notes")).toMatchObject({ value: "two\nlines", field: { type: "textarea" } });
  expect(nodeOf(observation, "textbox", "Letter")).toMatchObject({
    value: "Dear all",
    field: { type: "contenteditable" },
  });
  expect(nodeOf(observation, "slider", "Volume").value).toBe("4");
});

it("distinguishes fields of the same size at the same position", async () => {
  const inputs = ["a", "b", "c"].map(
    (key) => `<input name="${key}" aria-label="${key}" value="${key}1" style="position:absolute;left:9px;top:9px">`,
  );
  await using shown = await site.show(inputs.join(""));
  const observation = await shown.observe();
  for (const key of ["a", "b", "c"]) {
    expect(nodeOf(observation, "textbox", key)).toMatchObject({ value: `${key}1`, field: { key } });
  }
});

it("reports the sort order of tables and the targets of links", async () => {
  await using shown = await site.show(`<table><tr><th aria-sort="descending">Price</th><th>Name</th></tr>
    <tr><td>9</td><td><a href="../items/9?x=1#top"><b>Item</b> nine</a></td></tr></table>`);
  const observation = await shown.observe();
  expect(nodeOf(observation, "columnheader", "Price").states.sort).toBe("descending");
  expect(nodeOf(observation, "columnheader", "Name").states.sort).toBeUndefined();
  expect(nodeOf(observation, "link", "Item nine").url).toBe(`${site.site.url}/items/9?x=1#top`);
  expect(textOf(nodeOf(observation, "cell", "Item nine"))).toBe("Item nine");
});

it("has the same fingerprint for the same state, and another for another state", async () => {
  await using shown = await site.show(
    `<h1>Cart</h1><input aria-label="Count" value="1"><label><input type="checkbox"> Gift</label>`,
  );
  const first = await shown.observe();
  await shown.page.evaluate(() => document.body.style.setProperty("padding", "30px"));
  expect((await shown.observe()).fingerprint).toBe(first.fingerprint);
  await shown.page.evaluate(
    () => ((document.querySelector("input[type=checkbox]") as HTMLInputElement).checked = true),
  );
  const checked = await shown.observe();
  expect(checked.fingerprint).not.toBe(first.fingerprint);
  await shown.page.evaluate(() => history.pushState(null, "", "#other"));
  expect((await shown.observe()).fingerprint).not.toBe(checked.fingerprint);
});
