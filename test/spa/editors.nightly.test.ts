import { describe, expect, test } from "vitest";
import { findFieldValues, isCutValue, isSameValue } from "../../src/agent/grounding/page-text.ts";
import { walk } from "../../src/browser/observation/observation.ts";
import { openSpaPage, type SpaPage } from "./_harness.ts";

/** What an editor of its own accord says that it holds. */
interface Saved {
  text: string;
  html: string;
}

async function save(page: SpaPage): Promise<{ body: Saved; notes: Saved }> {
  expect((await page.act("click", "Save")).failure).toBeNull();
  await expect.poll(() => page.record().length).toBeGreaterThan(0);
  return page.record().at(-1) as { body: Saved; notes: Saved };
}

/** Some editors need a moment until they take input. */
async function openEditors(name: string): Promise<SpaPage> {
  const page = await openSpaPage(name);
  const isReady = async () => {
    page.observation = await page.session.observe(AbortSignal.timeout(60_000));
    const fields = [...walk(page.observation.root)].map(({ node }) => (node.field === null ? "" : node.name));
    return fields.includes("Body") && fields.includes("Notes");
  };
  await expect.poll(isReady).toBe(true);
  return page;
}

/** Without what each editor adds: classes, styles, wrappers, entities, line breaks between elements. */
function toBareHtml(html: string): string {
  return html
    .replace(/&nbsp;|\u00a0/g, " ")
    .replace(/<\/?span[^>]*>|<b>(?=<strong)|(?<=<\/strong>)<\/b>|<i>(?=<em)|(?<=<\/em>)<\/i>/g, "")
    .replace(/<(\w+)[^>]*?( href="[^"]*")?[^>]*>/g, "<$1$2>")
    .replace(/<li><p>/g, "<li>")
    .replace(/<\/p><\/li>/g, "</li>")
    .replace(/<p>(?:<br>| )<\/p>/g, "<p></p>")
    .replace(/>\n+</g, "><");
}

const BEFORE =
  '<h2>Plan</h2><p>The <strong>first</strong> draft is due on Monday. See <a href="https://example.com/">the notes</a>.</p>' +
  "<ul><li>Buy paper</li><li>Print <em>twice</em></li></ul><p>Thanks, Ann</p>";

/** Lines, spaces, signs that editors like to complete, and paragraphs. */
const LETTER = `Dear "Ann",\n\nif (a) { b[0] }\n  two  spaces\n1. not a list\n\nBye -- Bob`;

describe.each(["prosemirror", "lexical", "quill", "tinymce"])("%s", (name) => {
  const isLineBased = name === "quill";

  test("keeps every line and paragraph of a text", async () => {
    const page = await openEditors(name);
    const report = await page.act("fill", "Notes", { text: LETTER });
    expect(report).toMatchObject({ failure: null, data: null });
    const { notes, body } = await save(page);
    expect(notes.text.replace(/\u00a0/g, " ").trimEnd()).toBe(LETTER);
    expect(toBareHtml(body.html)).toBe(BEFORE);
  });

  test("fills over a formatted text, and one undo takes it back", async () => {
    const page = await openEditors(name);
    expect(await page.act("fill", "Body", { text: "One\n\nTwo" })).toMatchObject({ failure: null, data: null });
    const filled = toBareHtml((await save(page)).body.html);
    expect(filled).toBe(isLineBased ? "<p>One</p><p></p><p>Two</p>" : "<p>One</p><p>Two</p>");
    expect((await page.act("press", "Body", { key: "Control+z" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE);
  });

  test("replaces a word in a list item and nothing else, in one change", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { replace: "paper", text: "pens" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE.replace("paper", "pens"));
    expect((await page.act("press", "Body", { key: "Control+z" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE);
  });

  test("replaces a bold word, which stays bold", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { replace: "first", text: "second" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE.replace("first", "second"));
  });

  test("inserts after a text, next to a link", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { after: "on Monday", text: " at noon" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE.replace("on Monday", "on Monday at noon"));
  });

  test("appends a paragraph", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { append: true, text: "PS: call me" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(`${BEFORE}<p>PS: call me</p>`);
  });

  test("adds an item to a list", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { after: "Buy paper", text: "\nBuy ink" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(
      BEFORE.replace("<li>Buy paper</li>", "<li>Buy paper</li><li>Buy ink</li>"),
    );
  });

  test("deletes a text", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { replace: " draft", text: "" })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE.replace(" draft", ""));
  });

  test("splits a paragraph in two", async () => {
    const page = await openEditors(name);
    const text = isLineBased ? "\n" : "\n\n";
    expect((await page.act("edit", "Body", { replace: " draft is ", text: ` A.${text}B ` })).failure).toBeNull();
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE.replace(" draft is ", " A.</p><p>B "));
  });

  test("is read with its headings, lists, marks and links", async () => {
    const page = await openEditors(name);
    const { data } = await page.act("read", "Body");
    const lines = (data as { text: string }).text.split("\n").filter((line) => line !== "");
    expect(lines).toEqual([
      "## Plan",
      "The **first** draft is due on Monday. See [the notes](https://example.com/).",
      "- Buy paper",
      "- Print *twice*",
      "Thanks, Ann",
    ]);
  });

  test("clears the text", async () => {
    const page = await openEditors(name);
    expect((await page.act("fill", "Body", { text: "" })).failure).toBeNull();
    expect((await save(page)).body.text.trim()).toBe("");
  });

  test("changes nothing when the text is not there just once", async () => {
    const page = await openEditors(name);
    expect((await page.act("edit", "Body", { replace: "Monday!", text: "x" })).failure?.kind).toBe("not_found");
    expect((await page.act("edit", "Body", { replace: "n", text: "x" })).failure?.kind).toBe("invalid_input");
    expect(toBareHtml((await save(page)).body.html)).toBe(BEFORE);
  });
});

const FUNCTION = `function add(a, b) {\n  if (a) {\n    return [a, "b"];\n\n  }\n}\n`;
const PROGRAM = Array.from({ length: 400 }, (_, index) => `const value${index + 1} = ${index + 1};`).join("\n");

describe.each(["codemirror", "monaco"])("%s", (name) => {
  async function saveCode(page: SpaPage): Promise<{ body: string; notes: string }> {
    return (await save(page)) as unknown as { body: string; notes: string };
  }

  test("keeps the lines of a program, without indentation or brackets of its own", async () => {
    const page = await openEditors(name);
    expect(await page.act("fill", "Notes", { text: FUNCTION })).toMatchObject({ failure: null, data: null });
    expect((await saveCode(page)).notes).toBe(FUNCTION);
  });

  test("fills over a long program, and one undo takes it back", async () => {
    const page = await openEditors(name);
    expect(await page.act("fill", "Body", { text: FUNCTION })).toMatchObject({ failure: null, data: null });
    expect((await saveCode(page)).body).toBe(FUNCTION);
    expect((await page.act("press", "Body", { key: "Control+z" })).failure).toBeNull();
    expect((await saveCode(page)).body).toBe(PROGRAM);
  });

  test("changes a line that is out of view and no other", async () => {
    const page = await openEditors(name);
    expect(
      (await page.act("edit", "Body", { replace: "value390 = 390", text: "value390 = f(390)" })).failure,
    ).toBeNull();
    expect((await page.act("edit", "Body", { after: "const value200 = 200;", text: "\n  log();" })).failure).toBeNull();
    expect((await page.act("edit", "Body", { append: true, text: "done();" })).failure).toBeNull();
    const expected = PROGRAM.replace("= 390", "= f(390)").replace("value200 = 200;", "value200 = 200;\n  log();");
    expect((await saveCode(page)).body).toBe(`${expected}\ndone();`);
  });

  test("is observed by its lines, without what is beside them", async () => {
    const page = await openEditors(name);
    await page.act("fill", "Notes", { text: "first\nsecond" });
    const nodes = [...walk(page.observation.root)].map(({ node }) => node);
    expect(nodes.filter(({ role }) => role === "textbox").map((node) => node.name)).toEqual(["Body", "Notes"]);
    expect(nodes.filter(({ role, name: text }) => role === "text" && /^\d+$/.test(text))).toEqual([]);
    expect(page.rendered()).toContain("const value2 = 2;");
    expect(page.rendered()).toContain("second");
    const [held] = findFieldValues(page.observation, "Body");
    expect(held === undefined || (isCutValue(held) && isSameValue(held, PROGRAM))).toBe(true);
    expect(nodes.filter(({ ref }) => ref !== null).map(({ role }) => role)).toEqual(["textbox", "textbox", "button"]);
  });

  test("reads the whole program", async () => {
    const page = await openEditors(name);
    const { data } = await page.act("read", "Body");
    expect(data).toMatchObject({ total_length: PROGRAM.length });
    expect((data as { text: string }).text).toContain("const value300 = 300;");
    expect((await saveCode(page)).body).toBe(PROGRAM);
  });
});
