import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

describe("a native select", () => {
  const COUNTRIES = `<label>Country <select onchange="document.title = this.value">
    <option value="">Choose…<option value="no">Norway<option value="nz">New Zealand<option value="nl">Netherlands
    <option value="xx" disabled>Nowhere</select></label>`;

  test.each([
    ["Norway", "no"],
    ["new zealand", "nz"],
    ["Nether", "nl"],
    ["nz", "nz"],
  ])("accepts %s", async (option, value) => {
    const page = await world.open(COUNTRIES);
    expect((await page.act("select", "Country", { options: [option] })).failure).toBeNull();
    expect(page.observation.title).toBe(value);
  });

  test("lists the options when nothing matches, and the matches when several do", async () => {
    const page = await world.open(COUNTRIES);
    const none = await page.act("select", "Country", { options: ["Sweden"] });
    expect(none.failure).toMatchObject({ kind: "not_found", message: expect.stringContaining('"New Zealand"') });
    const several = await page.act("select", "Country", { options: ["Ne"] });
    expect(several.failure).toMatchObject({ kind: "not_found", message: expect.stringContaining("several") });
    const disabled = await page.act("select", "Country", { options: ["Nowhere"] });
    expect(disabled.failure).toMatchObject({ kind: "disabled" });
    expect(page.observation.title).toBe("/");
  });

  test("selects exactly the named options of a multiple select", async () => {
    const page = await world.open(
      `<label>Toppings <select multiple onchange="document.title = [...this.selectedOptions].map((o) => o.text)">
         <option selected>Ham<option>Olives<option>Cheese</select></label>`,
    );
    expect((await page.act("select", "Toppings", { options: ["Olives", "Cheese"] })).failure).toBeNull();
    expect(page.observation.title).toBe("Olives,Cheese");
    const one = await world.open(COUNTRIES);
    const report = await one.act("select", "Country", { options: ["Norway", "Netherlands"] });
    expect(report.failure).toMatchObject({ kind: "invalid_input" });
  });

  test("reports a page that undoes the choice", async () => {
    const page = await world.open(
      `<label>Plan <select onchange="this.selectedIndex = 0"><option>Free<option>Paid</select></label>`,
    );
    expect((await page.act("select", "Plan", { options: ["Paid"] })).failure).toMatchObject({ kind: "no_effect" });
  });
});

describe("a custom list", () => {
  const drawn = (trigger: string) => `${trigger}
    <ul id="list" role="listbox" aria-label="Colours" hidden>
      <li role="option" aria-selected="false">Red<li role="option" aria-selected="false">Green</ul>
    <ul role="listbox" aria-label="Others"><li role="option" onclick="document.title='wrong'">Green</ul>
    <script>
      const toggle = (open) => { list.hidden = !open; document.querySelector("[role=combobox]").ariaExpanded = open };
      for (const item of list.children) item.onclick = () => { document.title = item.textContent; toggle(false) };
    </script>`;

  test("opens it and clicks the option", async () => {
    const page = await world.open(
      drawn(`<div role="combobox" tabindex="0" aria-label="Colour" aria-expanded="false"
      aria-controls="list" onclick="setTimeout(toggle, 200, true)">Pick</div>`),
    );
    expect((await page.act("select", "Colour", { options: ["Green"] })).failure).toBeNull();
    expect(page.observation.title.trim()).toBe("Green");
  });

  test("filters by typing when the option is not visible at first", async () => {
    const page = await world.open(
      `<input role="combobox" aria-label="City" aria-expanded="false" oninput="cities.innerHTML = ['Oslo', 'Rome']
         .filter((c) => this.value && c.startsWith(this.value)).map((c) => '<li role=option>' + c).join('')"><ul id="cities" role="listbox" aria-label="Cities" onclick="document.title = event.target.innerText"></ul>`,
    );
    expect((await page.act("select", "City", { options: ["Rome"] })).failure).toBeNull();
    expect(page.observation.title).toBe("Rome");
  });

  test("lists the options when nothing matches", async () => {
    const page = await world.open(
      drawn(`<div role="combobox" tabindex="0" aria-label="Colour" aria-expanded="false"
      aria-controls="list" onclick="toggle(true)">Pick</div>`),
    );
    const report = await page.act("select", "Colour", { options: ["Blue"] });
    expect(report.failure).toEqual({
      kind: "not_found",
      message: 'There is no option "Blue". Available: "Red", "Green".',
    });
  });

  test("requires the option to be marked as selected if the list stays open", async () => {
    const page = await world.open(
      `<ul role="listbox" aria-label="Sizes"><li role="option" aria-selected="false" tabindex="0">Small
         <li role="option" aria-selected="false" tabindex="0" onclick="this.ariaSelected = true">Large</ul>`,
    );
    const dead = await page.act("select", "Sizes", { options: ["Small"] });
    expect(dead.failure).toMatchObject({ kind: "no_effect", message: expect.stringContaining("still not selected") });
    expect((await page.act("select", "Sizes", { options: ["Large"] })).failure).toBeNull();
  });
});

describe("checking", () => {
  test("sets a checkbox, a radio button and a switch to the requested state", async () => {
    const page = await world.open(
      `<label><input type="checkbox" checked> News</label><label><input type="radio" name="r"> Weekly</label>
       <button role="switch" aria-checked="false" onclick="this.ariaChecked = this.ariaChecked !== 'true'">Dark mode</button>`,
    );
    expect((await page.act("check", "News", { checked: false })).failure).toBeNull();
    expect(page.find("News").states.checked).toBe(false);
    expect(await page.act("check", "News", { checked: false })).toMatchObject({
      failure: null,
      data: { already: true },
    });
    await page.act("check", "Weekly", { checked: true });
    expect(page.find("Weekly").states.checked).toBe(true);
    await page.act("check", "Dark mode", { checked: true });
    expect(page.find("Dark mode").states.checked).toBe(true);
    expect((await page.act("check", "Weekly", { checked: false })).failure).toMatchObject({ kind: "no_effect" });
  });

  test("checks a checkbox that is hidden behind its label", async () => {
    const page = await world.open(
      `<style>input { position: absolute; width: 1px; height: 1px; clip: rect(0,0,0,0); overflow: hidden }</style>
       <div style="position:relative"><input type="checkbox" id="a"></div>
       <div style="margin-top:50px"><label for="a">Gift wrap</label></div>`,
    );
    expect((await page.act("check", "Gift wrap", { checked: true })).failure).toBeNull();
    expect(page.find("Gift wrap").states.checked).toBe(true);
  });

  test("checks a switch that prevents the click on the box behind it", async () => {
    const page = await world.open(
      `<div onclick="event.preventDefault(); const on = box.ariaChecked !== 'true'; box.ariaChecked = on; document.title = on ? 'on' : 'off'">
         <input type="checkbox" role="switch" id="box" aria-label="Alerts" aria-checked="false"></div>`,
    );
    expect((await page.act("check", "Alerts", { checked: true })).failure).toBeNull();
    expect(page.observation.title).toBe("on");
    expect(page.find("Alerts").states.checked).toBe(true);
  });

  test("reports a checkbox that reverts", async () => {
    const page = await world.open(`<label><input type="checkbox" onclick="return false"> Accept</label>`);
    const report = await page.act("check", "Accept", { checked: true });
    expect(report.failure).toEqual({
      kind: "no_effect",
      message: 'The checkbox "Accept" was clicked and is still off.',
    });
  });
});
