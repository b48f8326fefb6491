import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ActionWorld, startActionWorld } from "../../_harness/action-page.ts";

let world: ActionWorld;

beforeAll(async () => {
  world = await startActionWorld();
});

afterAll(() => world[Symbol.asyncDispose]());

describe("fills fields of every type", () => {
  test.each([
    ["text", "old", "Ada, 12 Main St."],
    ["email", "", "ada@example.com"],
    ["search", "", "desk lamp"],
    ["tel", "", "555 0100"],
    ["number", "3", "12.5"],
    ["date", "", "2026-03-31"],
    ["time", "", "14:30"],
    ["datetime-local", "", "2026-03-31T14:30"],
    ["month", "", "2026-03"],
    ["week", "", "2026-W14"],
    ["color", "#000000", "#ff8800"],
    ["range", "10", "70"],
  ])("%s", async (type, before, text) => {
    const page = await world.open(
      `<label>Field <input type="${type}" value="${before}" oninput="document.title = this.value"></label>`,
    );
    const report = await page.act("fill", "Field", { text });
    expect(report.failure).toBeNull();
    expect(page.observation.title).toBe(text);
  });

  test("textarea, with line breaks", async () => {
    const page = await world.open(
      `<label>Note <textarea oninput="document.title = this.value.length">old</textarea></label>`,
    );
    expect((await page.act("fill", "Note", { text: "one\ntwo\n" })).failure).toBeNull();
    expect(page.observation.title).toBe("8");
  });

  test("contenteditable", async () => {
    const page = await world.open(
      `<div role="textbox" aria-label="Message" contenteditable oninput="document.title = this.innerText"><b>old</b></div>`,
    );
    expect((await page.act("fill", "Message", { text: "Hello there" })).failure).toBeNull();
    expect(page.observation.title).toBe("Hello there");
  });

  test("clears a field with an empty text", async () => {
    const page = await world.open(
      `<label>Field <input value="old" oninput="document.title = '[' + this.value + ']'"></label>`,
    );
    expect((await page.act("fill", "Field", { text: "" })).failure).toBeNull();
    expect(page.observation.title).toBe("[]");
  });
});

test("fires key events for pages that only listen to keys", async () => {
  const page = await world.open(`<label>Name <input onkeyup="document.title = this.value"></label>`);
  await page.act("fill", "Name", { text: "Grace" });
  expect(page.observation.title).toBe("Grace");
});

test("types into a field that rejects inserted text", async () => {
  const page = await world.open(
    `<label>Code <input oninput="if (typed) kept = this.value; else this.value = kept" onkeydown="typed = true"
       onkeyup="typed = false"></label><script>let typed = false, kept = ""</script>`,
  );
  expect((await page.act("fill", "Code", { text: "A1B2" })).failure).toBeNull();
  expect(page.find("Code").value).toBe("A1B2");
});

test("accepts the formatting of an input mask", async () => {
  const page = await world.open(
    `<label>Phone <input type="tel" oninput="const d = this.value.replace(/\\D/g, '').slice(0, 10);
       this.value = d.replace(/(\\d{3})(\\d{3})(\\d{1,4})/, '($1) $2-$3')"></label>`,
  );
  expect((await page.act("fill", "Phone", { text: "5550100123" })).failure).toBeNull();
  expect(page.find("Phone").value).toBe("(555) 010-0123");
});

test("reports what a field contains instead", async () => {
  const page = await world.open(`<label>Nick <input oninput="this.value = this.value.slice(0, 3)"></label>`);
  const report = await page.act("fill", "Nick", { text: "Katherine" });
  expect(report.failure).toEqual({
    kind: "no_effect",
    message: 'The textbox "Nick" does not accept the text: it holds "Kat" instead.',
  });
});

test("refuses a value in the wrong format and names the right one", async () => {
  const page = await world.open(`<label>Day <input type="date"></label>`);
  const report = await page.act("fill", "Day", { text: "next Friday" });
  expect(report.failure).toMatchObject({ kind: "invalid_input", message: expect.stringContaining("2026-01-31") });
});

test("says when only a picker can fill the field", async () => {
  const page = await world.open(`<label>Arrival <input readonly></label>`);
  const report = await page.act("fill", "Arrival", { text: "2026-03-31" });
  expect(report.failure).toMatchObject({ kind: "disabled", message: expect.stringContaining("picker") });
});

test("names the right action for a target that takes no text", async () => {
  const page = await world.open(`<label>News <input type="checkbox"></label><button>Go</button>`);
  expect((await page.act("fill", "News", { text: "x" })).failure?.message).toContain("use check");
  expect((await page.act("fill", "Go", { text: "x" })).failure).toMatchObject({ kind: "not_found" });
});

test("reports suggestions that appear after a pause in typing", async () => {
  const page = await world.open(
    `<label>City <input role="combobox" aria-expanded="false" aria-controls="cities" oninput="clearTimeout(timer);
       timer = setTimeout(() => { cities.innerHTML = '<li role=option>Oslo<li role=option>Osaka'; this.ariaExpanded = true }, 300)">
     </label><ul id="cities" role="listbox" aria-label="Cities"></ul><script>let timer</script>`,
  );
  const report = await page.act("fill", "City", { text: "Os" });
  expect(report.added.join("\n")).toMatch(/Oslo[\s\S]*Osaka/);
});

test("submits the form, and the report shows it", async () => {
  world.site.pages.set("/search", "<h1>Results</h1>");
  const page = await world.open(`<form action="/search"><label>Search <input name="q"></label></form>`);
  const report = await page.act("fill", "Search", { text: "lamp", submit: true });
  expect(report.urlAfter).toBe(`${world.site.url}/search?q=lamp`);
  expect(report.events.requests).toContainEqual(expect.objectContaining({ isNavigation: true, status: 200 }));
});

describe("secrets", () => {
  test("appear neither in the report nor in the page's lines", async () => {
    const page = await world.open(
      `<label>Password <input type="password" oninput="document.title = this.value.length"></label>`,
    );
    const report = await page.act("fill", "Password", { text: "correct horse" });
    expect(report.failure).toBeNull();
    expect(page.observation.title).toBe("13");
    expect(report.call.input).toMatchObject({ label: "Password", text: "••••••" });
    expect(JSON.stringify([report, page.observation])).not.toContain("correct horse");
  });

  test("do not appear in failures", async () => {
    const page = await world.open(`<label>Password <input type="password" oninput="this.value = 'xy'"></label>`);
    const refused = await page.act("fill", "Password", { text: "correct horse" });
    expect(refused.failure?.kind).toBe("no_effect");
    const { ref } = page.find("Password");
    const [stale] = await page.perform([
      { action: "fill", input: { ref: `${ref}9`, label: "Password", text: "correct horse" } },
    ]);
    expect(stale?.failure?.kind).toBe("stale");
    const [wrong] = await page.perform([
      { action: "fill", input: { ref, label: "Password", text: "correct horse", x: 1 } },
    ]);
    expect(wrong?.failure?.kind).toBe("invalid_input");
    expect(JSON.stringify([refused, stale, wrong])).not.toMatch(/correct horse|"xy"/);
  });

  test("do not appear with single keys", async () => {
    const page = await world.open(`<label>PIN <input type="password"></label><label>Name <input></label>`);
    const { ref } = page.find("PIN");
    expect((await page.act("press", null, { key: "7", ref })).call.input.key).toBe("••••••");
    expect((await page.act("press", null, { key: "8" })).call.input.key).toBe("••••••");
    expect((await page.act("press", null, { key: "Tab" })).call.input.key).toBe("Tab");
  });
});
