import { describe, expect, test } from "vitest";
import { resultOf, useErrands } from "../../_harness/errands.ts";

const errands = useErrands();

describe("several targets of one name", () => {
  const run = (path: string, prompt: string) =>
    errands.run({ prompt, startUrl: `${errands.sites.ambiguous.url}${path}` });

  test.each([
    ["/cards", "Click Delete."],
    ["/rows", "Click Delete."],
    ["/names", "Type Ann into Name and click Save."],
  ])("are refused before anything happens when the prompt does not say which: %s", async (path, prompt) => {
    const { outcome } = await run(path, prompt);
    expect(outcome).toMatchObject({
      kind: "failed",
      failure: "unsupported_prompt",
      code: "AMBIGUOUS",
      sideEffects: [],
    });
    const { state, recorded } = errands.sites.ambiguous;
    expect(state).toMatchObject({ cards: ["first", "second"], saved: [] });
    expect(recorded.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test.each(["Click Delete in the row for Hall lamp.", "In the row of Hall lamp, click Delete."])(
    "are told apart by the row: %s",
    async (prompt) => {
      resultOf(await run("/rows", prompt));
      expect(errands.sites.ambiguous.state.devices).toEqual(["Kitchen radio", "Garden pump"]);
    },
  );

  test("in a row that does not exist are left alone", async () => {
    const { outcome } = await run("/rows", "Click Delete in the row for Attic fan.");
    expect(outcome).toMatchObject({ kind: "failed", code: "NOT_FOUND", sideEffects: [] });
    expect(errands.sites.ambiguous.state.devices).toHaveLength(3);
  });

  test("are told apart by their order", async () => {
    resultOf(await run("/cards", "Click the second Delete button."));
    expect(errands.sites.ambiguous.state.cards).toEqual(["first"]);
  });

  test("are told apart by their group", async () => {
    const prompt = "Under Sender, type Ann into Name. Under Recipient, type Bo into Name. Then click Save.";
    resultOf(await run("/groups", prompt));
    expect(errands.sites.ambiguous.state.saved.map((form) => Object.fromEntries(form))).toEqual([
      { sender_name: "Ann", sender_town: "", recipient_name: "Bo", recipient_town: "" },
    ]);
  });
});

describe("a form in four steps", () => {
  const START = "Click Start the application. Type Robin Example into Full name";
  const ABOUT_YOU = `${START}, type robin@example.com into E-mail address and click Continue.`;
  const YOUR_PLOT = "Select Mill Hill as the site, choose Medium (100 m²) and click Continue.";
  const apply = (...parts: string[]) => errands.run({ prompt: parts.join(" "), startUrl: errands.sites.wizard.url });

  test("is filled in to its end, and the number from the site is reported", async () => {
    const run = await apply(
      ABOUT_YOU,
      YOUR_PLOT,
      'Set the start date to 15 April 2026, tick "I would like to share a tool shed" and click Continue.',
      'Type "Beans, peas and sunflowers" into What will you grow?, check I agree to the garden rules and click Continue.',
      "Then click Submit application and tell me the reference number.",
    );
    const [submission, ...more] = errands.sites.wizard.state.submissions;
    expect(more).toEqual([]);
    expect(submission?.application).toEqual({
      name: "Robin Example",
      email: "robin@example.com",
      site: "Mill Hill",
      size: "Medium (100 m²)",
      start: "2026-04-15",
      shed: "yes",
      plans: "Beans, peas and sunflowers",
      rules: "yes",
    });
    expect(resultOf(run).final_text).toBe(submission?.reference);
    expect(resultOf(run).evidence.side_effects).toHaveLength(6);
  });

  test.each([
    ["lacks a field", [`${START} and click Continue.`], "Enter an e-mail address."],
    [
      "has a date that is too early",
      [ABOUT_YOU, YOUR_PLOT, "Set the start date to 1 February 2026 and click Continue."],
      "The season starts on 1 March 2026.",
    ],
  ])("that %s ends with the site's own message", async (_what, parts, words) => {
    const { outcome } = await apply(...parts);
    expect(outcome).toMatchObject({ kind: "failed", code: "SITE_REFUSED", reason: expect.stringContaining(words) });
    expect(errands.sites.wizard.state.submissions).toEqual([]);
  });
});
