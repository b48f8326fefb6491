import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFieldValues } from "../../../src/agent/grounding/page-text.ts";
import type { Observation } from "../../../src/browser/observation/observation.ts";
import { renderObservation } from "../../../src/browser/observation/rendering/render-observation.ts";
import { nodesOf, type ObservedSite, startObservedSite } from "../../_harness/observed-page.ts";

/** What component libraries draw from several elements is one target, with the name and the value that a person sees. */
let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

async function observe(html: string): Promise<Observation> {
  await using shown = await site.show(html);
  return await shown.observe();
}

/** The lines of the page, with "e" for each ref. */
function linesOf(observation: Observation): string[] {
  const [, , , ...lines] = renderObservation(observation).split("\n");
  return lines.map((line) => line.replace(/\b[ec]\d+ /g, "e "));
}

const UNSEEN = "position:absolute;width:1px;height:1px;clip:rect(0 0 0 0);overflow:hidden";
const INPUT = "border:0;background:none;width:20px";

describe("a combobox whose value is drawn beside its input", () => {
  const field = (inner: string) =>
    `<label for="f">Category</label><div style="border:1px solid"><div>${inner}<input id="f" role="combobox" style="${INPUT}"></div></div>`;

  it("holds that value, and the text is shown once", async () => {
    const observation = await observe(field(`<div>Events</div>`));
    expect(linesOf(observation)).toEqual([`e combobox "Category" = "Events"`]);
    expect(findFieldValues(observation, "Category")).toEqual(["Events"]);
  });

  it("holds all of several, and keeps the buttons that remove them", async () => {
    const chip = (name: string) => `<div><div>${name}</div><button aria-label="Remove ${name}"></button></div>`;
    expect(linesOf(await observe(field(chip("Art") + chip("Books"))))).toEqual([
      `e button "Remove Art"`,
      `e button "Remove Books"`,
      `e combobox "Category" = "Art, Books"`,
    ]);
  });

  it("is what its list calls selected, although the page calls it a placeholder", async () => {
    const list = (selected: boolean) =>
      `<ul role="listbox" id="own" hidden><li role="option" aria-selected="${selected}">Paint</li></ul>`;
    const html = field(`<div class="x-placeholder">Paint</div>`).replace("<input", `<input aria-controls="own"`);
    expect(linesOf(await observe(html + list(true)))).toEqual([`e combobox "Category" = "Paint"`]);
    expect(linesOf(await observe(html + list(false)))).toEqual([`e combobox "Category" = "" (placeholder "Paint")`]);
  });

  it("is empty while it shows a placeholder", async () => {
    const described = field(`<div id="hint">Select…</div>`).replace("<input", `<input aria-describedby="hint"`);
    for (const html of [field(`<div class="x-placeholder">Select…</div>`), described]) {
      expect(linesOf(await observe(html))).toEqual([`e combobox "Category" = "" (placeholder "Select…")`]);
    }
  });

  it("does not hold the text beside an input with a border of its own", async () => {
    const html = `<div style="border:1px solid">All shops <input role="combobox"></div>`;
    expect(linesOf(await observe(html))).toEqual([`e combobox "All shops" = ""`]);
  });
});

describe("what is drawn in place of a native field that nobody sees", () => {
  const select = (style: string) => `<label for="n">Country</label>
    <select id="n" tabindex="-1" style="${style}"><option>Denmark<option selected>Norway</select>`;

  it.each([
    ["beside it", `${select(UNSEEN)}<span role="combobox" tabindex="0">Norway</span>`],
    ["beside one that is not displayed", `${select("display:none")}<a style="cursor:pointer">Norway</a>`],
    [
      "around it",
      `<label for="n">Country</label><div role="combobox" tabindex="0"><div><select id="n" hidden><option>Norway</select>
        <div role="listbox"><div role="option" aria-selected="true">Norway</div></div></div></div>`,
    ],
    [
      "beside it, and already named",
      `${select(UNSEEN)}<span role="combobox" tabindex="0" aria-label="Country">Norway</span>`,
    ],
  ])("has its label, and is the only target: %s", async (_, html) => {
    await using shown = await site.show(html);
    const observation = await shown.observe();
    expect(linesOf(observation)).toEqual([expect.stringMatching(/^\{?e combobox "Country" = "Norway"\}?$/)]);
    const [ref] = nodesOf(observation).flatMap((node) => node.ref ?? []);
    expect(await shown.observer.pin(ref ?? "")).toMatchObject({ role: "combobox", name: "Country" });
  });

  it("does not take the label of a field that somebody sees", async () => {
    const observation = await observe(
      `<label for="n">Country</label> <select id="n"><option>Norway</select> <button>Change</button>`,
    );
    expect(linesOf(observation)).toEqual([`e combobox "Country" = "Norway" of Norway`, `e button "Change"`]);
  });
});

describe("one target for what is one to a person", () => {
  it.each([
    [
      "a frame that passes clicks to its field",
      `<label for="f">City</label><div onclick="f.focus()" style="border:1px solid"><input id="f" style="${INPUT}"></div>`,
      [`e textbox "City" = ""`],
    ],
    [
      "a box and its label",
      `<style>label { cursor: pointer }</style><input type="checkbox" id="b"><label for="b">Small</label>
       <label><input type="checkbox"><span onclick="1"></span> Large</label>`,
      [`e checkbox "Small" [unchecked]`, `e checkbox "Large" [unchecked]`],
    ],
    [
      "controls inside each other, named by what is around them",
      `<span aria-label="Settings"><a role="tab"><button style="width:20px;height:20px"></button></a></span>`,
      [`e tab "Settings"`],
    ],
  ])("%s", async (_, html, expected) => {
    expect(linesOf(await observe(html))).toEqual(expected);
  });
});

it("describes an icon by its data attributes before its class names", async () => {
  const observation = await observe(
    `<button class="mod-focus" data-direction="previous" style="width:30px;height:30px"></button>`,
  );
  expect(nodesOf(observation, "button")[0]?.name).toMatch(/previous mod focus/);
});

describe("what scripts listen on for its content is no target:", () => {
  it("a grid, and the edges by which its columns are resized", async () => {
    const observation = await observe(`<div role="grid" class="t" tabindex="0"><div role="row"><div role="columnheader">
      Name <div role="presentation" class="t" style="cursor:ew-resize;width:8px;height:8px"></div></div></div></div>
      <script>for (const one of document.querySelectorAll(".t")) one.addEventListener("mousedown", () => {})</script>`);
    expect(nodesOf(observation, "grid")).toMatchObject([{ name: "", ref: null }]);
    expect(nodesOf(observation).filter(({ ref }) => ref !== null)).toEqual([]);
  });
});

describe("what lies behind an open dialog", () => {
  const PAGE = `<main><h1>Tasks</h1><button>Delete all</button><a href="/help">Help</a><div style="height:3000px"></div><button>Below</button></main>`;
  const DIALOG = `<div role="dialog" aria-label="New task" style="position:fixed;left:100px;top:100px"><button>Create</button></div>`;
  const BACKDROP = `<div class="t" style="position:fixed;inset:0;background:#0008"></div>`;
  const LISTEN = `<script>document.querySelector(".t")?.addEventListener("click", () => {})</script>`;

  it.each([
    ["a backdrop and a dialog beside it", PAGE + BACKDROP + DIALOG + LISTEN],
    ["a dialog in a layer", `${PAGE}<div class="t" style="position:fixed;inset:0">${DIALOG}</div>${LISTEN}`],
    [
      "a modal dialog of the browser",
      `${PAGE}<dialog aria-label="New task"><button>Create</button></dialog><script>document.querySelector("dialog").showModal()</script>`,
    ],
    ["an inert page", `<div inert>${PAGE}</div>${DIALOG}`],
  ])("is counted and not shown, but can be found: %s", async (_, html) => {
    const observation = await observe(html);
    const lines = linesOf(observation).filter((line) => !line.startsWith("in view"));
    expect(lines.join("\n")).toContain("# Tasks");
    expect(lines.join("\n")).toMatch(/dialog "New task"\n {1,2}e button "Create"/);
    expect(lines.filter((line) => /^ *e /.test(line))).toHaveLength(1);
    expect(lines.join("\n")).toContain("3 controls behind the dialog cannot be used now and are not shown.");
    expect(nodesOf(observation).filter(({ isBehind }) => isBehind)).toHaveLength(3);
  });

  it.each([
    ["a dialog without a backdrop", PAGE + DIALOG],
    ["a banner that covers a part", `${PAGE}<div style="position:fixed;left:0;right:0;bottom:0;height:99px">Hi</div>`],
    ["a page that is a layer itself", `<div style="position:fixed;inset:0;overflow:auto">${PAGE}</div>`],
  ])("is nothing without a layer in front of the page: %s", async (_, html) => {
    const observation = await observe(html);
    expect(nodesOf(observation).filter(({ isBehind }) => isBehind)).toEqual([]);
    expect(renderObservation(observation)).toContain(`button "Delete all"`);
  });

  it("is not what is in front of the backdrop: a message in its own layer", async () => {
    const toast = `<div style="position:fixed;right:0;top:0;z-index:9"><button>Undo</button></div>`;
    const lines = linesOf(await observe(PAGE + toast + BACKDROP + DIALOG)).join("\n");
    expect(lines).toContain(`e button "Undo"`);
    expect(lines).not.toContain("Delete all");
  });
});

describe("a rich-text editor", () => {
  const tools = `<div><button>B</button><button>I</button><button>Link</button><select><option>Normal</select></div>`;

  it("is called by the text above its toolbar, and its blocks are apart", async () => {
    const observation = await observe(
      `<div><div>Body</div><div>${tools}<div contenteditable="true"><p>Poems by Ann.</p><ul><li>A cushion</li><li>A friend</li></ul></div></div></div>`,
    );
    expect(linesOf(observation).at(-1)).toBe(String.raw`e textbox "Body" = "Poems by Ann.\nA cushion\nA friend"`);
    expect(findFieldValues(observation, "Body")).toEqual(["Poems by Ann.\nA cushion\nA friend"]);
  });

  it("is not called by the label of another field", async () => {
    const observation = await observe(`<div>Title <input> <div contenteditable="true">x</div></div>`);
    expect(nodesOf(observation, "textbox").map(({ label }) => label)).toEqual(["Title", null]);
  });
});
