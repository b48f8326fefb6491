import { afterAll, beforeAll, expect, it } from "vitest";
import { textOf } from "../../../src/browser/observation/observation.ts";
import { findDifferences } from "../../_harness/compare-with-playwright.ts";
import { nodesOf, type ObservedSite, startObservedSite } from "../../_harness/observed-page.ts";

let site: ObservedSite;

beforeAll(async () => {
  site = await startObservedSite();
});

afterAll(async () => {
  await site[Symbol.asyncDispose]();
});

const PAGES: readonly (readonly [what: string, html: string])[] = [
  [
    "labels of fields",
    `<label for="a">First name</label><input id="a" value="Jo">
     <label>Town <input value="Bath"></label>
     <label>Ring me in <input type="number" value="5"> minutes <input type="checkbox"></label>
     <label><label for="w">Message</label><input id="w"></label>
     <input aria-label="By attribute"><input title="By title"><input placeholder="By placeholder">
     <span id="x">Ship</span><span id="y">to</span><input aria-labelledby="x y">
     <p id="off" hidden>Hidden label</p><input aria-labelledby="off">
     <label for="s">Size</label><select id="s"><option>Small<option selected>Large</select>
     <label for="n">Notes</label><textarea id="n">As before</textarea>
     <fieldset><legend>Pay by</legend><label><input type="radio" name="p" checked> Card</label>
       <label><input type="radio" name="p"> Bank</label></fieldset>
     <label for="f">Picture</label><input type="file" id="f"><input type="file">
     <input type="range" aria-label="Volume" value="3" max="9"><input type="search" aria-label="Find">
     <input list="l" aria-label="Fruit"><datalist id="l"><option value="Pear"></datalist>`,
  ],
  [
    "buttons and links",
    `<button>Save</button><button><b>Save</b> all <i>now</i></button><input type="submit"><input type="reset" value="Clear">
     <input type="image" alt="Go" width="20" height="20"><button aria-label="Close">×</button>
     <button><img alt="Print" width="9" height="9" src="data:,"> page</button>
     <button><svg width="9" height="9"><title>Edit</title><path d="M0 0h9v9"/></svg></button>
     <button><span aria-hidden="true">★</span> Like</button><button disabled>Later</button>
     <a href="/1">Read<br>more</a><a href="/2"><h2>Kettle</h2><p>€39</p></a><a href="/3" title="Home"><img alt="" src="data:,"></a>
     <div role="button" tabindex="0">Drawn</div><span role="link" tabindex="0">Also a link</span>
     <button aria-pressed="true">Bold</button><button aria-expanded="false">Menu</button>
     <style>.n::before { content: "No. " } .n::after { content: " (new)" }</style><button class="n">Seven</button>`,
  ],
  [
    "widgets",
    `<div role="tablist"><button role="tab" aria-selected="true">One</button><button role="tab">Two</button></div>
     <ul role="menu"><li role="menuitem" tabindex="0">Open<span aria-hidden="true"> ⌘O</span></li>
       <li role="menuitemcheckbox" aria-checked="mixed" tabindex="0">Wrap</li></ul>
     <div role="switch" aria-checked="true" tabindex="0" aria-label="Wi-Fi"></div>
     <div role="slider" aria-valuenow="4" aria-label="Heat" tabindex="0" style="width:90px;height:9px"></div>
     <ul role="tree"><li role="treeitem" tabindex="0" aria-expanded="true">Fruit<ul role="group"><li role="treeitem" tabindex="0">Pear</li></ul></li></ul>
     <div role="combobox" aria-label="Colour" tabindex="0" aria-owns="pop">Red</div><div role="listbox" id="pop" aria-label="Colours">
       <div role="option" aria-selected="true" tabindex="0">Red</div><div role="option" tabindex="0">Blue</div></div>
     <ul role="none"><li><a href="/x">In a list without a role</a></li></ul>
     <button role="presentation">Still a button</button>`,
  ],
];

it.each(PAGES)("controls have the roles, names and values that Playwright gives them: %s", async (_, html) => {
  await using shown = await site.show(html);
  const observation = await shown.observe();
  const pin = (ref: string) => shown.observer.pin(ref);
  expect(nodesOf(observation).filter(({ ref }) => ref !== null).length).toBeGreaterThan(7);
  expect(await findDifferences({ page: shown.page, observation, pin })).toEqual([]);
});

it("reads a page that nests forty lists, each with a link", async () => {
  await using shown = await site.show(`${"<ul><li><a href='/'>Up</a> text ".repeat(40)}${"</li></ul>".repeat(40)}`);
  const observation = await shown.observe();
  expect(nodesOf(observation, "link")).toHaveLength(40);
  expect(nodesOf(observation, "list")).toHaveLength(40);
});

it("reads the state of a box that says it as buttons do", async () => {
  await using shown = await site.show(
    `<div role="checkbox" aria-pressed="true" tabindex="0">Organic</div>
     <div role="checkbox" aria-checked="false" aria-pressed="true" tabindex="0">Local</div>`,
  );
  const boxes = nodesOf(await shown.observe(), "checkbox");
  expect(boxes.map(({ name, states }) => [name, states.checked])).toEqual([
    ["Organic", true],
    ["Local", false],
  ]);
});

it("leaves out the code of an icon where a control has other words", async () => {
  await using shown = await site.show(
    `<style>i { font-family: "Material Symbols Outlined"; font-style: normal }</style>
     <button><i>arrow_drop_down</i> Sort</button>
     <div role="checkbox" aria-checked="false" tabindex="0"><i>check_box_outline_blank</i> Organic</div>
     <button aria-label="Remove row"><i>delete</i></button>
     <button><i>check</i></button>
     <label><input type="checkbox"><i>star</i> Favourite</label>
     <button><b>close</b> door</button><p><i>verified</i> member</p>`,
  );
  const observation = await shown.observe();
  expect(nodesOf(observation, "button").map(textOf)).toEqual(["Sort", "Remove row", "check", "close door"]);
  expect(nodesOf(observation, "checkbox").map(textOf)).toEqual(["Organic", "Favourite"]);
  expect(textOf(observation.root)).toContain("verified member");
  expect(textOf(observation.root)).not.toMatch(/arrow_drop_down|check_box|delete|star/);
});
