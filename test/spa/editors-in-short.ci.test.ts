import { expect, test } from "vitest";
import { openSpaPage } from "./_harness.ts";

const LETTER = "Dear Ann,\n\nfirst line\n  second line\n\nBob";

test("Lexical keeps the lines of a text, and a change of a part touches nothing else", async () => {
  const page = await openSpaPage("lexical");
  expect(await page.act("fill", "Notes", { text: LETTER })).toMatchObject({ failure: null, data: null });
  expect((await page.act("edit", "Body", { replace: "paper", text: "pens" })).failure).toBeNull();
  await page.act("click", "Save");
  await expect.poll(() => page.record().length).toBe(1);
  expect(page.record()[0]).toMatchObject({
    notes: { text: LETTER },
    body: {
      text: "Plan\n\nThe first draft is due on Monday. See the notes.\n\nBuy pens\n\nPrint twice\n\nThanks, Ann",
      html: expect.stringMatching(/<strong[^>]*>first<.*<em[^>]*>twice</),
    },
  });
});

test("CodeMirror keeps a program as it is, and changes a line that is not in the page", async () => {
  const page = await openSpaPage("codemirror");
  const program = `if (a) {\n  b(["c"]);\n}\n`;
  expect(await page.act("fill", "Notes", { text: program })).toMatchObject({ failure: null, data: null });
  expect((await page.act("edit", "Body", { replace: "value390 = 390", text: "value390 = 0" })).failure).toBeNull();
  await page.act("click", "Save");
  await expect.poll(() => page.record().length).toBe(1);
  expect(page.record()[0]).toMatchObject({
    notes: program,
    body: expect.stringMatching(/^const value1 = 1;\n.*\nconst value390 = 0;\n.*\nconst value400 = 400;$/s),
  });
});
