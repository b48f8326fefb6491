import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFieldValues } from "../../../src/agent/grounding/page-text.ts";
import type { Observation } from "../../../src/browser/observation/observation.ts";
import { findNodes } from "../../../src/browser/observation/observation-text.ts";
import { renderObservation } from "../../../src/browser/observation/rendering/render-observation.ts";
import { node, observation } from "../../_harness/observed.ts";
import { nodesOf, type ObservedSite, refOf, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;
beforeAll(async () => {
  site = await startObservedSite();
});
afterAll(() => site[Symbol.asyncDispose]());

async function observe(html: string): Promise<Observation> {
  await using shown = await site.show(html);
  return await shown.observe();
}

/** The kind of markup that applications really have: plain containers, controls without names, icon fonts. */
const ICONS = `<style>.ico { font-family: icons; font-style: normal } .ico-trash::before { content: "\\f1f8" }
  .ico-bold::before { content: "\\f032" } .required::after { content: " *" } .new::before { content: "New: " }</style>`;

const EDITOR = `${ICONS}<div id="app"><div class="toolbar">
    <button><i class="ico ico-bold"></i></button><button><i class="ico">\ue001</i></button><select><option>Normal<option>Title</select>
  </div>
  <div class="pane"><div class="doc"><div contenteditable="true"><p>First line</p><p>Second line</p></div></div>
  <div class="side"><div>Outline</div><div>Introduction</div><div>Results</div></div></div>
  <div class="status"><span>128 words</span><input type="checkbox"><span>Saved</span></div></div>`;

const RESULTS = `${ICONS}<div class="page"><div class="bar"><input type="text"><button><svg width="16" height="16"></svg></button></div>
  <div class="results"><div class="hit"><div><a href="/a">Oak table</a></div><div>A table made of oak.</div><div><button></button></div></div>
  <div class="hit"><div><a href="/b">Pine table</a></div><div>A table made of pine.</div><div><button></button></div></div></div></div>`;

const ADMINISTRATION = `${ICONS}<div class="app"><div class="nav"><div><i class="ico">\ue010</i> Users</div><div><i class="ico">\ue011</i> Groups</div></div>
  <div class="content"><div class="title">Users</div><input type="search"><table>
    <tr><th><input type="checkbox"></th><th>Name</th><th>Role</th><th>Quota</th><th></th></tr>
    <tr><td><input type="checkbox"></td><td>Ann</td><td><select><option>Admin<option selected>Member</select></td><td><input value="10"></td>
      <td><button class="ico ico-trash"></button></td></tr>
    <tr><td><input type="checkbox"></td><td>Ben</td><td><select><option selected>Admin<option>Member</select></td><td><input value="20"></td>
      <td><button class="ico ico-trash"></button></td></tr></table></div></div>`;

describe("fields with the names of members of their form", () => {
  /** All of them: "title", "children", "labels", "matches", "getAttribute", … */
  async function listMembers(): Promise<string[]> {
    await using shown = await site.show("");
    return await shown.page.evaluate(() => {
      const names: string[] = [];
      for (let type = HTMLFormElement.prototype; type !== null; type = Object.getPrototypeOf(type))
        names.push(...Object.getOwnPropertyNames(type));
      return [...new Set(names)];
    });
  }

  it("hide nothing of it", async () => {
    const names = await listMembers();
    expect(names).toContain("lastChild");
    const forms = names.map(
      (name, at) => `<form><p>Before ${at}</p><label>Field ${at} <input name="${name}" value="v"></label>
        <label>Other ${at} <input></label><button>Send ${at}</button><p>After ${at}</p></form>`,
    );
    const seen = await observe(forms.join(""));
    const words = new Set(nodesOf(seen).map(({ name }) => name));
    const missing = names.filter((_, at) =>
      ["Before", "Field", "Other", "Send", "After"].some((word) => !words.has(`${word} ${at}`)),
    );
    expect(missing).toEqual([]);
    expect(nodesOf(seen).filter(({ role, value }) => role === "textbox" && value === "v")).toHaveLength(names.length);
  });

  it.each(["title", "body", "fonts", "activeElement", "documentElement", "scrollingElement", "styleSheets", "forms"])(
    "nor does a picture that is called %s",
    async (name) => {
      const seen = await observe(`<p>Text</p><img name="${name}" alt="Picture"><button>Buy</button>`);
      expect(seen.title).toBe("Page");
      expect(nodesOf(seen).map((one) => one.name)).toEqual(expect.arrayContaining(["Text", "Picture", "Buy"]));
    },
  );
});

describe("an application of plain containers is shown in full", () => {
  it.each([
    ["an editor", EDITOR, ["First line", "Outline", "Introduction", "128 words", "Saved", "Normal"]],
    ["search results", RESULTS, ["Oak table", "A table made of oak.", "Pine table", "A table made of pine."]],
    ["an administration tool", ADMINISTRATION, ["Users", "Groups", "Ann", "Ben", "Member", "Quota"]],
  ])("%s", async (_, html, expected) => {
    const text = renderObservation(await observe(html));
    for (const words of expected) expect(text).toContain(words);
    expect(text).not.toMatch(/\p{Co}/u);
  });

  it("and every one of its targets can be acted on", async () => {
    for (const html of [EDITOR, RESULTS, ADMINISTRATION]) {
      await using shown = await site.show(html);
      const targets = nodesOf(await shown.observe()).flatMap(({ ref }) => ref ?? []);
      expect(targets.length).toBeGreaterThan(4);
      for (const ref of targets) await shown.observer.pin(ref);
    }
  });
});

it("says so when a page that is not empty cannot be shown", () => {
  const page = observation("https://app.example/", [node("generic"), node("generic")]);
  expect(renderObservation(page)).toContain("none of the 2 parts of this page could be shown");
  expect(renderObservation(observation("about:blank", []))).not.toContain("Warning");
});

describe("a field without a name is called by", () => {
  it.each([
    ["the text before it", `<div><div>Street:</div><div><div><input value="x"></div></div></div>`, "Street"],
    [
      "the text after a box",
      `<div><input type="checkbox"><span>Wash the dishes</span><button>Delete</button></div>`,
      "Wash the dishes",
    ],
    [
      "its placeholder",
      `<p>Comment</p><div contenteditable aria-placeholder="Write something">x</div>`,
      "Write something",
    ],
    ["its column and row", ADMINISTRATION, "Quota, Ben"],
    [
      "its column and row, with a merged cell before it",
      `<table><tr><th>Item</th><th>Size</th><th>Count</th></tr>
      <tr><td colspan="2">Oak spoon</td><td><input value="3"></td></tr></table>`,
      "Count, Oak spoon",
    ],
  ])("%s: the same on the page, in a search, in proofs and when it is acted on", async (_, html, label) => {
    await using shown = await site.show(html);
    const seen = await shown.observe();
    const field = nodesOf(seen).find((one) => one.label === label);
    expect(field).toMatchObject({ name: "" });
    expect(renderObservation(seen)).toContain(`${field?.ref} ${field?.role} "${label}"`);
    expect(findNodes(seen, label)[0]?.node).toBe(field);
    expect(findFieldValues(seen, label)).toHaveLength(1);
    expect(await shown.observer.pin(field?.ref ?? "")).toMatchObject({ name: label });
  });

  it("its placeholder once, although a widget keeps a copy of it behind it", async () => {
    await using shown = await site.show(`<span style="position:relative;display:inline-block">
      <input readonly tabindex="-1" placeholder="Account" style="position:absolute;top:0;left:0;width:150px">
      <input placeholder="Account" style="position:relative;width:150px;background:transparent"></span>`);
    const fields = nodesOf(await shown.observe()).filter(({ field }) => field !== null);
    expect(fields).toMatchObject([{ role: "textbox", name: "Account" }]);
    const { handle } = await shown.observer.pin(fields[0]?.ref ?? "");
    expect(await handle.evaluate((field) => field.getAttribute("readonly"))).toBeNull();
  });

  it("nothing when the text belongs to another field", async () => {
    const seen = await observe(`<div>From <input id="a" value="1"> <input id="b" value="2"></div>`);
    expect(nodesOf(seen, "textbox").map(({ label }) => label)).toEqual(["From", null]);
  });
});

describe("characters that nobody can read", () => {
  it("are in no name, text or value", async () => {
    const seen =
      await observe(`<title>In\u00advoices</title><h1>In\u00advoices\u200b \u{f0123}</h1><p>\u202eTotal\u202c \ufeff12</p>
      <button>\ue5cd Close</button><a href="/x">Mo\u2060re</a><input aria-label="Co\u200bde" value="A\ufeffB">`);
    expect(JSON.stringify(seen.root)).not.toMatch(/[\u00ad\u200b\u2060\ufeff\u202a-\u202e]|\p{Co}/u);
    expect(refOf(seen, "button", "Close")).toBeTruthy();
    expect(nodesOf(seen, "textbox")[0]).toMatchObject({ name: "Code", value: "AB" });
  });

  it("leave a link with the icon of a font its title", async () => {
    const html = `${ICONS}<a href="/x" title="Delete it"><i class="ico ico-trash"></i></a>`;
    await using shown = await site.show(html);
    const ref = refOf(await shown.observe(), "link", "Delete it");
    expect(await shown.observer.pin(ref)).toMatchObject({ name: "Delete it" });
  });

  it("stay where they shape what is read", async () => {
    const seen = await observe(`<h1>👩‍💻 می‌خواهم ❤️</h1>`);
    expect(nodesOf(seen, "heading")[0]?.name).toBe("👩‍💻 می‌خواهم ❤️");
  });

  it("leave a button that has nothing else to be described by its looks", async () => {
    const seen = await observe(
      `${ICONS}<button class="close-button">\ue5cd</button><button><i class="ico ico-trash"></i></button>`,
    );
    expect(nodesOf(seen, "button").map(({ name }) => name.replace(/ ?\w+ \d+×\d+$/, ""))).not.toContain("");
  });
});

describe("is the same element for the one who looks and the one who acts:", () => {
  it.each([
    ["a combobox that holds a text", `<input role="combobox" value="Oslo">`],
    ["an editor", `<div contenteditable>Some text</div>`],
    ["an icon of a font in a name", `<button>\ue5cd Close</button>`],
    ["an icon of a font alone", `<button style="width:20px">\ue5cd</button>`],
    ["a picture from a style sheet in a link", `${ICONS}<a href="/x" class="ico ico-trash">Delete</a>`],
    ["words from a style sheet", `${ICONS}<div onclick="1"><span class="new">Inbox</span> 3</div>`],
    [
      "words from an attribute",
      `<style>b::after { content: attr(data-n) }</style><div onclick="1">Inbox <b data-n="3">!</b></div>`,
    ],
    [
      "words and an icon, some of them not shown",
      `${ICONS}<div onclick="1"><i class="ico">\ue010</i> Inbox <b style="display:none">secret</b><span class="new">3</span></div>`,
    ],
    [
      "words from the slots of a component",
      `<x-row style="display:block;cursor:pointer"><b>Inbox</b></x-row><script>customElements.define("x-row", class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<i>New</i> <slot></slot> 3" } })</script>`,
    ],
    [
      "a picture with a text instead",
      `<div onclick="1"><img alt="Settings" src="data:," width="20" height="20"></div>`,
    ],
    [
      "words from a style sheet in a label",
      `${ICONS}<label for="i" class="required">Mail</label><input id="i" value="a">`,
    ],
  ])("%s", async (_, html) => {
    await using shown = await site.show(html);
    const targets = nodesOf(await shown.observe()).flatMap(({ ref }) => ref ?? []);
    expect(targets).toHaveLength(1);
    for (const ref of targets) await shown.observer.pin(ref);
  });

  it("also after something was typed into it", async () => {
    await using shown = await site.show(`<input role="combobox" value="Oslo"><div contenteditable>Some text</div>`);
    const targets = nodesOf(await shown.observe()).flatMap(({ ref }) => ref ?? []);
    await shown.page.locator("input").fill("Bergen");
    await shown.page.locator("div").fill("Other text");
    for (const ref of targets) await shown.observer.pin(ref);
  });
});
