import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

// Lists as component libraries draw them: in another part of the document, without roles, with fields that nobody can see.

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

/** Opens on a click, takes an option, and shows it in the title. */
const SCRIPT = `<script>
  function openList(control, popup) {
    popup.hidden = !popup.hidden;
    control.ariaExpanded = String(!popup.hidden);
  }
  function take(control, popup, option) {
    document.title = control.ariaLabel + ": " + option.innerText;
    control.innerText = option.innerText;
    openList(control, popup);
  }
</script>`;

const control = (name: string, popup: string, more = "") =>
  `<div role="combobox" tabindex="0" id="${popup}-control" aria-label="${name}" aria-expanded="false" ${more}
     onclick="openList(this, ${popup})">Pick</div>`;

const options = (popup: string, names: readonly string[], of: (name: string) => string = () => "") =>
  names
    .map(
      (name) =>
        `<div style="cursor:pointer" ${of(name)} onclick="take(window['${popup}-control'], ${popup}, this)">${name}</div>`,
    )
    .join("");

describe("a list whose options have no role", () => {
  const page = `${SCRIPT}<p>Priority</p><label><input type="radio" name="p" checked> Low</label><label><input type="radio" name="p"> High</label>
    ${control("Effort", "effort")}
    <div id="effort" hidden>${options("effort", ["Small", "High"], (name) => (name === "Huge" ? "" : `data-name="${name}"`))}
      <div style="cursor:pointer" aria-disabled="true" onclick="document.title = 'wrong'">Huge</div></div>`;

  test("has its own option selected, and not a radio button of that name", async () => {
    const shown = await world.open(page);
    expect((await shown.act("select", "Effort", { options: ["High"] })).failure).toBeNull();
    expect(shown.observation.title).toBe("Effort: High");
    expect(shown.find("Low").states.checked).toBe(true);
  });

  test("does not have what only the rest of the page offers", async () => {
    const shown = await world.open(page);
    const { failure } = await shown.act("select", "Effort", { options: ["Low"] });
    expect(failure).toMatchObject({ kind: "not_found", message: expect.stringContaining('"Small"') });
    expect(shown.observation.title).toBe("/");
  });

  test("names an option that cannot be chosen", async () => {
    const shown = await world.open(page);
    const { failure } = await shown.act("select", "Effort", { options: ["Huge"] });
    expect(failure).toEqual({ kind: "disabled", message: 'The option "Huge" is disabled.' });
    expect(shown.observation.title).toBe("/");
  });

  test("may be named by a copy without size, for screen readers only", async () => {
    const shown = await world.open(
      `${SCRIPT}${control("Effort", "effort", 'aria-controls="copy"')}
       <div id="effort" hidden><div role="listbox" id="copy" style="width:0;height:0;overflow:hidden">
         <div role="option" aria-label="Small"></div></div>
         <div style="height:60px;overflow-y:hidden">${options("effort", ["Small", "Medium", "Large", "Giant"], () => 'aria-selected="false"')}
       </div></div>`,
    );
    expect((await shown.act("select", "Effort", { options: ["Large"] })).failure).toBeNull();
    expect(shown.observation.title).toBe("Effort: Large");
  });
});

test("a list is not taken for the one that the focused field has opened", async () => {
  const list = (popup: string) =>
    `<div id="${popup}" role="listbox" hidden>${options(popup, ["Norway", "Poland"], () => 'role="option"')}</div>`;
  const shown = await world.open(
    `${SCRIPT}${control("From", "from", 'aria-controls="from"')}${control("To", "to", 'aria-controls="to"')}${list("from")}${list("to")}`,
  );
  await shown.act("click", "From");
  expect(shown.find("From").states.expanded).toBe(true);
  expect((await shown.act("select", "To", { options: ["Poland"] })).failure).toBeNull();
  expect(shown.observation.title).toBe("To: Poland");
});

test("a list that fades out is not opened again", async () => {
  const shown = await world.open(
    `${SCRIPT}${control("Size", "size", 'aria-controls="size"')}
     <div id="size" role="listbox" hidden>${options("size", ["Small", "Large"], () => 'role="option"')}</div>
     <script>
       const opened = [];
       openList = (control, popup) => {
         const isOpen = control.ariaExpanded === "true";
         control.ariaExpanded = String(!isOpen);
         if (isOpen) setTimeout(() => { popup.hidden = control.ariaExpanded !== "true" }, 250);
         else { opened.push(1); popup.hidden = false }
         document.body.dataset.opened = opened.length;
         if (opened.length > 1) document.title = "opened again";
       };
     </script>`,
  );
  expect((await shown.act("select", "Size", { options: ["Large"] })).failure).toBeNull();
  expect(shown.observation.title).toBe("Size: Large");
});

test("an option that only opens more of them is not called selected", async () => {
  const shown = await world.open(
    `${SCRIPT}${control("Region", "region", 'aria-controls="region"')}
     <div id="region" role="listbox" hidden><div role="option" onclick="more.hidden = false">North</div>
     <div id="more" hidden><div role="option" onclick="take(window['region-control'], region, this)">Oslo</div></div></div>`,
  );
  const { failure } = await shown.act("select", "Region", { options: ["North"] });
  expect(failure).toMatchObject({ kind: "no_effect" });
});

test("a field that nobody can see is clicked where it is drawn", async () => {
  const shown = await world.open(
    `${SCRIPT}<div style="padding:40px" onclick="if (event.target === this) document.title = 'beside'">
       <div style="position:relative;width:200px;height:30px;border:1px solid" onclick="list.hidden = false; field.ariaExpanded = 'true'">
         <div style="position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip:rect(0 0 0 0);opacity:0;pointer-events:none">
           <input id="field" readonly role="combobox" aria-label="Team" aria-expanded="false" aria-controls="list"></div>
         <span id="shown">Choose</span></div></div>
     <div id="list" role="listbox" hidden><div role="option" onclick="shown.innerText = document.title = this.innerText; list.hidden = true; field.ariaExpanded = 'false'">Harbour</div></div>`,
  );
  expect((await shown.act("select", "Team", { options: ["Harbour"] })).failure).toBeNull();
  expect(shown.observation.title).toBe("Harbour");
});
