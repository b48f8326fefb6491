import { describe, expect, test } from "vitest";
import { readText } from "../../../src/agent/grounding/page-text.ts";
import { checkSent } from "../../../src/agent/verifier/check-sent.ts";
import { readBody } from "../../../src/browser/session/sent-body.ts";
import { caseOf } from "../../_harness/doubtful-case.ts";
import { field, node } from "../../_harness/observed.ts";

const TEXT = `Open from 9 to 5. See https://bakery.example/menu for "today".\n\nClosed on Sundays & holidays`;
const editor = node("textbox", "Text", { field: field("contenteditable"), value: "Old" });
const steps = [
  { call: { action: "fill", input: { label: "Text", text: TEXT } } },
  { call: { action: "click", input: { label: "Save" } } },
];

/** What the check says about a text that an editor sends like this. */
function verdictOf(body: unknown, contentType = "application/json", given = steps): string | undefined {
  const sent = readBody(typeof body === "string" ? body : JSON.stringify(body), contentType);
  const scene = {
    prompt: `Replace the text and save it.`,
    states: [[editor]],
    steps: given,
    writes: [{ step: 2, sent }],
  };
  return checkSent(caseOf(scene))[0]?.verdict;
}

/** The first line in the pieces that a link makes of it. */
const PIECES = ["Open from 9 to 5. See ", "https://bakery.example/menu", ' for "today".'] as const;
const [BEFORE, LINK, AFTER] = PIECES;
const LAST = "Closed on Sundays & holidays";

describe("a rich text was sent as", () => {
  const lexical = (text: string) => ({
    detail: 0,
    format: 0,
    mode: "normal",
    style: "",
    text,
    type: "text",
    version: 1,
  });
  test.each<[string, unknown, string?]>([
    [
      "HTML",
      {
        html: `<p>${BEFORE}<a href="${LINK}">${LINK}</a> for &quot;today&quot;.</p><p>Closed on Sundays &amp; holidays</p>`,
      },
    ],
    [
      "HTML in a form",
      new URLSearchParams({
        text: `<p>${BEFORE}<em>${LINK}</em>${AFTER}</p><p>Closed&nbsp;on Sundays &amp; holidays</p>`,
      }).toString(),
      "application/x-www-form-urlencoded",
    ],
    [
      "a document of Lexical",
      {
        root: {
          children: [
            {
              children: [lexical(BEFORE), { children: [lexical(LINK)], type: "autolink", url: LINK }, lexical(AFTER)],
              type: "paragraph",
            },
            { children: [lexical(LAST)], type: "paragraph" },
          ],
          type: "root",
        },
      },
    ],
    [
      "a document of Lexical in a string",
      { lexical: JSON.stringify({ root: { children: [...PIECES.map(lexical), lexical(LAST)] } }) },
    ],
    [
      "a document of ProseMirror",
      {
        type: "doc",
        content: [
          {
            type: "paragraph",
            content: [
              { type: "text", text: BEFORE },
              { type: "text", marks: [{ type: "link", attrs: { href: LINK } }], text: LINK },
              { type: "text", text: AFTER },
            ],
          },
          { type: "paragraph", content: [{ type: "text", text: LAST }] },
        ],
      },
    ],
    [
      "a delta of Quill",
      { ops: [{ insert: BEFORE }, { attributes: { link: LINK }, insert: LINK }, { insert: `${AFTER}\n\n${LAST}\n` }] },
    ],
    ["Markdown", { body: `${BEFORE}[${LINK}](${LINK}) for "today".\n\nClosed on Sundays \\& holidays\n` }],
  ])("%s", (_name, body, contentType) => {
    expect(verdictOf(body, contentType)).toBe("satisfied");
  });
});

describe("a rich text was not sent when", () => {
  test.each<[string, unknown]>([
    ["a line is missing", { ops: [{ insert: BEFORE }, { insert: LINK }, { insert: `${AFTER}\n` }] }],
    ["a piece is missing", { ops: [{ insert: BEFORE }, { insert: `${AFTER}\n\n${LAST}\n` }] }],
    ["the old text was sent", { html: "<p>Old</p>" }],
    ["the pieces are of different properties", { before: BEFORE, link: LINK, after: AFTER, last: LAST }],
  ])("%s", (_name, body) => {
    expect(verdictOf(body)).toBe("contradicted");
  });
});

test("of an edited text the new part must be sent", () => {
  const edited = [
    { call: { action: "edit", input: { label: "Text", after: "Open", text: " every day" } } },
    ...steps.slice(1),
  ];
  expect(verdictOf({ ops: [{ insert: "Open" }, { insert: " every day\n" }] }, "application/json", edited)).toBe(
    "satisfied",
  );
  expect(verdictOf({ ops: [{ insert: "Open\n" }] }, "application/json", edited)).toBe("contradicted");
});

test("a part of a text that is edited by itself has its text as its value, whatever its role", () => {
  const part = node("document", "Paragraph block", { field: field("contenteditable"), value: "Open on Sundays" });
  expect(readText(part)).toBe("Open on Sundays");
});
