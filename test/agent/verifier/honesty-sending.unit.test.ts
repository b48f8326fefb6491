import { describe, expect, test } from "vitest";
import { checkField } from "../../../src/agent/verifier/check-fields.ts";
import { checkSent } from "../../../src/agent/verifier/check-sent.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import type { NetworkRecord } from "../../../src/browser/session/network-record.ts";
import { readBody } from "../../../src/browser/session/sent-body.ts";
import { caseOf, HOME } from "../../_harness/doubtful-case.ts";
import { field, node } from "../../_harness/observed.ts";

const FORM = "application/x-www-form-urlencoded";
const TEXT = "Fresh bread every morning";
const PROMPT = `Replace the text by "${TEXT}" and save it.`;
const type = (label: string, text: string) => ({ call: { action: "fill", input: { label, text } } });
const click = (label: string) => ({ call: { action: "click", input: { label } } });
const post = (body: string, more: Partial<NetworkRecord> = {}) => ({ step: 2, sent: readBody(body, FORM), ...more });
const searchBox = node("searchbox", "Search", { field: field("search"), value: "" });
const editor = (value: string) => node("textbox", "Text", { field: field("textarea", { key: "text" }), value });
const shown = (text: string) => node("paragraph", "", { children: [node("text", text)] });

/** Whether the check refuses; null when it says nothing. */
const isRefused = (scene: Parameters<typeof caseOf>[0]) => {
  const [check] = checkSent(caseOf(scene));
  return check === undefined ? null : check.verdict === "contradicted";
};

describe("a text that was entered and saved", () => {
  const scene = { prompt: PROMPT, states: [[searchBox, editor("Old")]], steps: [type("Text", TEXT), click("Save")] };
  const searching = { ...scene, steps: [type("Search", TEXT), click("Save")] };

  test.each([
    ["was sent", { ...scene, writes: [post(`text=${TEXT}`)] }, false],
    ["was not sent", { ...scene, writes: [post("text=Old")] }, true],
    ["was not sent, and a fresh page shows it", { ...scene, writes: [post("text=Old")], fresh: [shown(TEXT)] }, null],
    [
      "went into the search box, and a page happens to show it",
      { ...searching, writes: [post("text=Old")], fresh: [shown(TEXT)] },
      true,
    ],
    [
      "went into the search box, which asked the server for suggestions",
      { ...searching, writes: [post(`q=${TEXT}`, { url: "https://shop.example/api/search" }), post("text=Old")] },
      true,
    ],
    [
      "was only sent to another site",
      { ...scene, writes: [post(`text=${TEXT}`, { isFirstParty: false }), post("text=Old")] },
      true,
    ],
    [
      "was only sent by a beacon",
      { ...scene, writes: [post(`text=${TEXT}`, { resourceType: "ping" }), post("text=Old")] },
      true,
    ],
    [
      "was only sent in a request that failed",
      { ...scene, writes: [post(`text=${TEXT}`, { status: 500 }), post("text=Old")] },
      true,
    ],
    [
      "may have been sent in a body that nobody can read",
      { ...scene, writes: [{ step: 2, sent: readBody(Buffer.from([0, 1]), "application/octet-stream") }] },
      null,
    ],
    [
      "was never submitted, while the page polls",
      { ...scene, steps: [type("Text", TEXT)], writes: [{ ...post("poll=1"), step: 1 }] },
      null,
    ],
  ])("%s", (_, given, expected) => {
    expect(isRefused(given)).toBe(expected);
  });

  test("must be sent as a whole, line by line", () => {
    const text = "First line\nSecond line";
    const steps = [type("Text", text), click("Save")];
    expect(
      isRefused({ ...scene, steps, writes: [post(`text=${encodeURIComponent("First line\r\nSecond line")}`)] }),
    ).toBe(false);
    expect(isRefused({ ...scene, steps, writes: [post("text=First line")] })).toBe(true);
  });

  test("is compared by its beginning when it is long", () => {
    const text = "bread and butter ".repeat(300);
    const recorded = `${text.slice(0, 2_000)}… (${text.length} characters)`;
    const steps = [type("Text", recorded), click("Save")];
    expect(isRefused({ ...scene, steps, writes: [post(`text=${text}`)] })).toBe(false);
    expect(isRefused({ ...scene, steps, writes: [post("text=Old")] })).toBe(true);
    const condition = {
      kind: "field",
      url: HOME,
      label: "Text",
      value: text,
      isSaved: true,
      about: "It is saved",
    } as const;
    expect(checkField(condition, caseOf({ ...scene, steps, writes: [post("text=Old")] })).verdict).toBe("contradicted");
  });
});

describe("a field that shows its first value again after something was saved", () => {
  const form = (title: string, hours: string) => [
    node("textbox", "Title", { field: field("text", { key: "title" }), value: title }),
    node("textbox", "Hours", { field: field("text", { key: "hours" }), value: hours }),
  ];
  const verdictOf = (given: { title?: string; button?: string; body?: string }) => {
    const { title = "", button = "Add", body = "title=Night shift&hours=12" } = given;
    const steps = [type("Title", "Night shift"), type("Hours", "12"), click(button)];
    const writes = [{ ...post(body), step: 3 }];
    const scene = caseOf({ prompt: "Log it.", states: [form(title, "8")], fresh: form(title, "8"), steps, writes });
    const condition = { kind: "field", url: HOME, label: "Hours", value: "12", isSaved: true, about: "" } as const;
    return checkField(condition, scene).verdict;
  };

  test("was in a form for something new, which starts again", () => {
    expect(verdictOf({})).toBe("satisfied");
  });

  test("was not saved if the form is for what is there, or the value was not sent", () => {
    expect(verdictOf({ title: "Day shift" })).toBe("contradicted");
    expect(verdictOf({ button: "Save" })).toBe("contradicted");
    expect(verdictOf({ body: "title=Night shift&hours=8" })).toBe("contradicted");
  });
});

describe("a text that was entered and not meant to be saved", () => {
  const add = { writes: [post("product=7")], states: [[searchBox]] };

  test.each([
    [
      "a search that the task asks for",
      {
        prompt: "Search for rye bread and add it to the cart.",
        steps: [type("Search", "rye bread"), click("Add to cart")],
        ...add,
      },
    ],
    [
      "a search in the run's own words",
      { prompt: "Add a dark loaf to the cart.", steps: [type("Search", "rye bread"), click("Add to cart")], ...add },
    ],
    [
      "a filter whose item a fresh page names in other words",
      {
        prompt: "Add the rye bread to the cart.",
        steps: [type("Name of item", "rye bread"), click("Add to cart")],
        ...add,
        fresh: [shown("Bread, rye: 1")],
      },
    ],
    [
      "a password",
      {
        prompt: 'Sign in as sam with password "rosebud77".',
        steps: [type("Word", "rosebud77"), click("Save")],
        ...add,
      },
    ],
    ["a masked value", { prompt: PROMPT, steps: [type("Word", "••••••"), click("Save")], ...add }],
  ])("is not missed: %s", (_, scene) => {
    expect(isRefused(scene)).toBeNull();
  });

  test("is not missed when a suggestion has replaced it", () => {
    const states = ["", "Ger", "Germany"].map((value) => [
      node("combobox", "Country", { field: field("text"), value }),
    ]);
    const steps = [type("Country", "Ger"), click("Save")];
    expect(
      isRefused({ prompt: "Set the country to Germany.", steps, states, writes: [post("country=DE")] }),
    ).toBeNull();
  });
});

describe("a box that was sent when it was set", () => {
  const box = (checked: boolean) => [node("checkbox", "New editor", { states: { checked } })];
  const tick = { call: { action: "check", input: { label: "New editor", checked: true } } };
  const condition = {
    kind: "field",
    url: HOME,
    label: "New editor",
    value: "checked",
    isSaved: false,
    about: "",
  } as const;
  const write = { step: 1, url: "https://shop.example/settings", status: 200 };
  const verdictOf = (given: Partial<Parameters<typeof caseOf>[0]>) => {
    const states = [box(false), box(true)];
    const scene = { prompt: "Tick New editor.", states, fresh: box(false), steps: [tick], writes: [write] };
    return checkField(condition, caseOf({ ...scene, ...given })).verdict;
  };

  test("was lost if a fresh page shows it as before", () => {
    expect(verdictOf({})).toBe("contradicted");
    expect(verdictOf({ fresh: box(true) })).toBe("satisfied");
  });

  test.each([
    ["nothing was sent", { writes: [] }],
    ["only a search was sent", { writes: [{ ...write, url: "https://shop.example/api/search" }] }],
    ["only the use of the page was reported", { writes: [{ ...write, url: "https://shop.example/analytics" }] }],
    ["only a view of the page was reported", { writes: [{ ...write, url: "https://shop.example/api/pageviews" }] }],
    [
      "it was part of a form that was sent later",
      { steps: [tick, click("Post comment")], writes: [write, { step: 2 }] },
    ],
  ])("may be reset if %s", (_, given) => {
    expect(verdictOf(given)).toBe("satisfied");
  });
});

describe("a field that a fresh page lacks", () => {
  const form = [node("textbox", "Company", { field: field("text", { key: "company" }), value: "Tom Weber" })];
  const steps = [type("Company", "Weber Design"), click("Save changes")];
  const condition = {
    kind: "field",
    url: HOME,
    label: "Company",
    value: "Weber Design",
    isSaved: true,
    about: "",
  } as const;
  const verdictOf = (states: ObservedNode[][], fresh: ObservedNode[]) => {
    const writes = [post("company=Weber Design")];
    return checkField(condition, caseOf({ prompt: "Rename the company.", states, fresh, steps, writes })).verdict;
  };

  test("was not read, if the page came with it and still shows it in the run's own tab", () => {
    expect(verdictOf([form, [...form, node("status", "Saved")]], [node("link", "Dashboard")])).toBe("unknown");
  });

  test("is no doubt, if the value is elsewhere on the page or the form is gone in the run's own tab", () => {
    expect(verdictOf([form], [node("text", "Weber Design")])).toBe("satisfied");
    expect(verdictOf([form, [node("text", "Thank you")]], [node("text", "Welcome")])).toBe("satisfied");
  });
});
