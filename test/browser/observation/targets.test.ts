import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../../../src/browser/observation/observation.ts";
import { renderObservation } from "../../../src/browser/observation/rendering/render-observation.ts";
import { nodeOf, nodesOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

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
    [
      "a row that shows its cursor only to the mouse",
      "generic",
      "Thing Todo",
      `<style>.row:hover { cursor: pointer }</style><div class="row"><b>Thing</b> <i>Todo</i></div><hr>
        <script>document.addEventListener("click", () => hit())</script>`,
    ],
    [
      "the label of a box that is not shown",
      "checkbox",
      "Thing",
      `<input type="checkbox" id="b" style="display:none" onchange="hit()"><label for="b">Thing</label>`,
    ],
    ["a canvas", "canvas", "board 200×100", `<canvas id="board" class="t" width="200" height="100"></canvas>`],
    [
      "a node of a diagram whose shape listens",
      "generic",
      "Thing",
      `<svg width="300" height="99" style="font:9px sans-serif"><style>text { pointer-events: none }</style><g><g><rect class="t" width="120" height="30" fill="white"/><text x="20" y="20">Thing</text></g>
        <g transform="translate(150)"><rect width="120" height="30" fill="white"/><text x="20" y="20">Other</text></g></g></svg>`,
    ],
    [
      "a node of a diagram that is listened for as a whole",
      "generic",
      "Thing",
      `<svg class="t" width="300" height="99"><g><g><circle cx="20" cy="20" r="9"/><text x="40" y="24">Thing</text></g>
        <g transform="translate(150)"><circle cx="20" cy="20" r="9"/><text x="40" y="24">Other</text></g></g></svg>`,
    ],
  ])("%s", async (_, role, name, html) => {
    await using shown = await site.show(`<script>function hit() { document.title = "hit" }</script>${html}
      <script>document.querySelector(".t")?.addEventListener("click", hit)</script>`);
    const { handle } = await shown.observer.pin(refOf(await shown.observe(), role, name));
    await (await handle.toHandle()).click();
    expect(await shown.page.title()).toBe("hit");
  });
});

it("keeps the ports of a node apart from the node, and the text of a chart", async () => {
  await using shown =
    await site.show(`<svg width="300" height="99"><g class="node"><rect width="120" height="30" fill="white"/>
      <text x="20" y="20">Timer</text><g class="port_output"><rect x="115" y="10" width="10" height="10" fill="gray"/></g></g></svg>
    <svg aria-label="Sales" width="200" height="50"><g><line x2="9"/><text y="20">2020</text></g><g><line x2="9"/><text x="50" y="20">2021</text></g></svg>
    <script>document.querySelectorAll("svg rect").forEach((rect) => rect.addEventListener("mousedown", () => {}))</script>`);
  const observation = await shown.observe();
  const targets = nodesOf(observation).filter(({ ref }) => ref !== null);
  expect(targets.map(({ name }) => name)).toEqual(["Timer", "gray port output square 10×10"]);
  expect(renderObservation(observation)).toContain('img "Sales" 2020 2021');
});

it("gives refs to rows that listen, with and without boxes in them", async () => {
  await using shown =
    await site.show(`<table><tr><td><input type="checkbox"></td><td>One</td></tr><tr><td></td><td>Two</td></tr></table>
    <script>document.querySelectorAll("tr").forEach((row) => row.addEventListener("click", () => {}))</script>`);
  const observation = await shown.observe();
  expect(nodesOf(observation, "row").map(({ ref }) => typeof ref)).toEqual(["string", "string"]);
  expect(nodesOf(observation, "cell").filter(({ ref }) => ref !== null)).toEqual([]);
});

it("finds the handlers that frameworks call from the root of the page", async () => {
  await using shown =
    await site.show(`<div id="root"><div id="a">One</div><p>between</p><div id="b">Two</div><hr><div id="c">Three</div></div>
    <script>
      for (const type of ["click", "dragstart", "dragover", "mousedown", "input"]) root.addEventListener(type, () => {});
      root.onclick = () => {};
      a.__reactProps$x1 = { onClick() {} };
      b.__click = () => {};
    </script>`);
  const targets = nodesOf(await shown.observe()).filter(({ ref }) => ref !== null);
  expect(targets.map(({ name }) => name)).toEqual(["One", "Two"]);
});

it("names a control without words by the wrapper that holds nothing else, and shows what a button shows", async () => {
  await using shown =
    await site.show(`<span aria-label="Settings"><span><button class="icon" style="width:20px;height:20px"></button></span></span>
    <label for="day">Day</label><button id="day">10 March</button>
    <input type="checkbox" id="beta" aria-label="Beta"><label for="beta" style="cursor:pointer;display:inline-block;width:20px;height:20px"></label>`);
  const observation = await shown.observe();
  const targets = nodesOf(observation).filter(({ ref }) => ref !== null);
  expect(targets.map(({ role, name }) => `${role} ${name}`)).toEqual([
    "button Settings",
    "button Day",
    "checkbox Beta",
  ]);
  expect(renderObservation(observation)).toContain('button "Day" = "10 March"');
});

it("says what looks like it can be dragged, and where it can be dropped", async () => {
  await using shown =
    await site.show(`<style>.card { cursor: grab } .col { float: left; width: 200px; height: 200px }</style>
    <div class="col"><h2>Todo</h2><div class="card">Paint</div></div><div class="col"><h2>Done</h2></div>
    <ul id="list"><li>Milk</li><li>Bread</li></ul><div draggable="true">Native</div><p>Text</p><button>Save</button>
    <script>for (const type of ["pointerdown", "dragover"]) list.addEventListener(type, () => {})</script>`);
  const nodes = nodesOf(await shown.observe());
  expect(nodes.filter(({ states }) => states.draggable).map(({ name }) => name)).toEqual([
    "Paint",
    "Milk",
    "Bread",
    "Native",
  ]);
  expect(nodes.filter(({ states }) => states.droppable).map(({ name }) => name)).toContain("Done");
  for (const { ref, states } of nodes) if (states.draggable || states.droppable) await shown.observer.pin(ref ?? "");
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
  await (await handle.toHandle()).setInputFiles({ name: "cat.png", mimeType: "image/png", buffer: Buffer.from("x") });
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

describe("an element that is drawn as the selected one", () => {
  const PICKED = /\[selected\]/;
  it.each([
    [
      "a row",
      `<ul><li class="row" onclick="hit()">One</li><li class="row row--is-selected" onclick="hit()">Two</li></ul>`,
    ],
    [
      "a row in a wrapper",
      `<div><div><p class="row" onclick="hit()">One</p></div><div><p class="row selected" onclick="hit()">Two</p></div></div>`,
    ],
    ["the link in a tab", `<ul><li><a href="#one">One</a></li><li class="active"><a href="#two">Two</a></li></ul>`],
  ])("says so: %s", async (_, html) => {
    await using shown = await site.show(`<main>${html}</main>`);
    const lines = renderObservation(await shown.observe()).split("\n");
    expect(lines.filter((line) => PICKED.test(line))).toEqual([expect.stringContaining("Two")]);
  });

  it.each([
    [
      "all are marked",
      `<ul><li class="active" onclick="hit()">One</li><li class="active" onclick="hit()">Two</li></ul>`,
    ],
    ["there are no others", `<div><button class="selected">One</button><p>Two</p></div>`],
    [
      "ARIA says otherwise",
      `<ul role="listbox"><li role="option" aria-selected="false">One</li><li role="option" class="selected" aria-selected="false">Two</li></ul>`,
    ],
    [
      "the word is part of another",
      `<ul><li onclick="hit()">One</li><li class="inactive preselected" onclick="hit()">Two</li></ul>`,
    ],
  ])("is not guessed when %s", async (_, html) => {
    await using shown = await site.show(`<main>${html}</main>`);
    expect(renderObservation(await shown.observe())).not.toMatch(PICKED);
  });
});
