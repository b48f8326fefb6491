import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
  world.site.pages.set("/next", "<h1>Arrived</h1>");
});

afterAll(() => world[Symbol.asyncDispose]());

describe("navigating", () => {
  test("goes to a URL, to a path, and back", async () => {
    const page = await world.open(`<p>Home</p>`);
    expect(await page.act("goto", null, { url: "/next" })).toMatchObject({
      data: { status: 200 },
      urlAfter: `${world.site.url}/next`,
    });
    expect(await page.act("back", null)).toMatchObject({ failure: null, urlAfter: `${world.site.url}/` });
    expect(await page.act("goto", null, { url: `${world.site.url}/missing` })).toMatchObject({ data: { status: 404 } });
  });

  test("switches to another tab and closes it", async () => {
    const page = await world.open(`<a href="/next" target="_blank">Open</a>`, {});
    const opened = await page.act("click", "Open");
    expect(opened).toMatchObject({ events: { openedTabs: ["t2"] }, urlAfter: `${world.site.url}/next` });
    expect((await page.act("tab", null, { id: "t1" })).urlAfter).toBe(`${world.site.url}/`);
    expect((await page.act("tab", null, { id: "t2", close: true })).failure).toBeNull();
    expect(page.observation.tabs).toHaveLength(1);
    expect((await page.act("tab", null, { id: "t2" })).failure).toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("t1"),
    });
    expect((await page.act("tab", null, { id: "t1", close: true })).failure).toMatchObject({ kind: "policy" });
    await page.session[Symbol.asyncDispose]();
  });
});

describe("keys", () => {
  test("submits with Enter in a field, and the report shows it", async () => {
    const page = await world.open(
      `<form method="post" action="/next"><label>Name <input name="n" value="Ada"></label></form>`,
    );
    const report = await page.act("press", "Name", { key: "Enter" });
    expect(report.urlAfter).toBe(`${world.site.url}/next`);
    expect(report.events.requests).toContainEqual(expect.objectContaining({ method: "POST", status: 200 }));
    expect(world.site.arrivals).toContainEqual({ method: "POST", path: "/next", body: "n=Ada" });
  });

  test("accepts the usual key names, alone and in chords", async () => {
    const page = await world.open(
      `<p id="log"></p><script>onkeydown = (e) => { log.textContent += [e.ctrlKey && "C", e.shiftKey && "S", e.key, ""].filter(x => x !== false).join("-") }</script>`,
    );
    for (const key of ["esc", "Ctrl+A", "down", "+", "Control++", "Shift+Tab"]) {
      expect((await page.act("press", null, { key })).failure).toBeNull();
    }
    for (const said of ["Escape-", "C-a-", "ArrowDown-", "C-+-", "S-Tab-"])
      expect(page.text().toLowerCase()).toContain(said.toLowerCase());
  });

  test("refuses unknown keys", async () => {
    const page = await world.open(`<p>Home</p>`);
    expect((await page.act("press", null, { key: "Wurst" })).failure).toMatchObject({ kind: "invalid_input" });
  });
});

describe("dragging", () => {
  test("moves a card by native drag and drop", async () => {
    const page = await world.open(
      `<div role="button" draggable="true" id="card" tabindex="0" ondragstart="event.dataTransfer.setData('text', 'card')">Card</div>
       <div role="group" tabindex="0" aria-label="Done" style="height:200px;margin-top:300px" ondragover="event.preventDefault()"
         ondrop="event.preventDefault(); this.append(document.getElementById(event.dataTransfer.getData('text'))); document.title = 'dropped'">
         <button>Drop here</button></div>`,
    );
    const report = await page.act("drag", "Card", { to_ref: page.find("Drop here").ref, to_label: "Drop here" });
    expect(report.failure).toBeNull();
    expect(page.observation.title).toBe("dropped");
  });

  test("sorts a list that follows the mouse", async () => {
    const page = await world.open(
      `<style>button { display: block; width: 200px; height: 40px }</style><div id="rows"><button>One</button><button>Two</button><button>Three</button></div>
       <script>
         let held = null;
         onmousedown = (e) => { held = e.target.closest("button") };
         onmousemove = (e) => {
           if (!held) return;
           const over = [...rows.children].find((row) => row !== held && e.clientY > row.getBoundingClientRect().top && e.clientY < row.getBoundingClientRect().bottom);
           if (!over) return;
           const middle = over.getBoundingClientRect().top + 20;
           const isBefore = held.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
           if (isBefore && e.clientY > middle) over.after(held);
           if (!isBefore && e.clientY < middle) over.before(held);
         };
         onmouseup = () => { held = null; document.title = [...rows.children].map((row) => row.textContent).join() };
       </script>`,
    );
    await page.act("drag", "One", { to_ref: page.find("Three").ref, to_label: "Three" });
    expect(page.observation.title).toBe("Two,Three,One");
    await page.act("drag", "One", { to_ref: page.find("Two").ref, to_label: "Two" });
    expect(page.observation.title).toBe("One,Two,Three");
  });

  test("does nothing if the drop target has another name", async () => {
    const page = await world.open(`<button onmousedown="document.title = 'held'">Card</button><button>Bin</button>`);
    const report = await page.act("drag", "Card", { to_ref: page.find("Bin").ref, to_label: "Archive" });
    expect(report.failure).toMatchObject({ kind: "stale" });
    expect(page.observation.title).toBe("/");
  });
});

describe("uploading", () => {
  const READ =
    "this.files[0].text().then((text) => { document.title = this.files[0].name + ' ' + this.files[0].type + ' ' + text })";

  test("gives a file to a field", async () => {
    const page = await world.open(`<label>List <input type="file" onchange="${READ}"></label>`);
    expect((await page.act("upload", "List", { name: "a.csv", content: "x,y" })).failure).toBeNull();
    expect(page.observation.title).toBe("a.csv text/csv x,y");
  });

  test("gives a file to the field that a button opens", async () => {
    const page = await world.open(
      `<button onclick="const f = Object.assign(document.createElement('input'), { type: 'file' });
         f.onchange = () => { document.title = f.files[0].name }; f.click()">Attach</button><button>Other</button>`,
    );
    expect((await page.act("upload", "Attach", { name: "note.txt", content: "hi" })).failure).toBeNull();
    expect(page.observation.title).toBe("note.txt");
    expect((await page.act("upload", "Other", { name: "note.txt", content: "hi" })).failure).toMatchObject({
      kind: "not_found",
    });
  });

  test("refuses paths and files over 1 MB, and does not report whole files", async () => {
    const page = await world.open(`<label>List <input type="file"></label>`);
    expect((await page.act("upload", "List", { name: "../a", content: "" })).failure).toMatchObject({
      kind: "invalid_input",
    });
    expect((await page.act("upload", "List", { name: "a", content: "é".repeat(600_000) })).failure).toMatchObject({
      kind: "invalid_input",
    });
    const report = await page.act("upload", "List", { name: "a", content: "x".repeat(900_000) });
    expect(report.failure).toBeNull();
    expect(JSON.stringify(report).length).toBeLessThan(10_000);
  });
});
