import { describe, expect, test } from "vitest";
import { checkGone, checkKept } from "../../../src/agent/verifier/check-kept.ts";
import { checkNamed } from "../../../src/agent/verifier/check-named.ts";
import { checkAbsent } from "../../../src/agent/verifier/check-none.ts";
import { checkProofs } from "../../../src/agent/verifier/check-proofs.ts";
import { caseOf, HOME } from "../../_harness/doubtful-case.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const click = (label: string) => ({ call: { action: "click", input: { label } } });
const edit = (text: string) => ({ call: { action: "edit", input: { label: "Text", replace: "4 tonnes", text } } });
const holding = (value: string) => [node("textbox", "Text", { value, field: field("text") })];
const says = (...lines: string[]) => lines.map((line) => node("paragraph", line));

describe("a part of a text that was changed and saved", () => {
  const OLD = "The crane lifts 4 tonnes. It is no longer in use.";
  const NEW = "The crane lifts 5 tonnes. It is no longer in use.";
  const scene = {
    prompt: 'Change "4 tonnes" to "5 tonnes" and save the page.',
    states: [holding(OLD)],
    steps: [edit("5 tonnes"), click("Save changes")],
    writes: [{ step: 2, isNavigation: true }],
  };
  const live = (...lines: string[]) => observation("https://shop.example/saved", says(...lines));

  test("must be on a fresh page, whatever the claim says about it", () => {
    const refused = live("Filter", "Your text");
    expect(checkKept({ ...caseOf({ ...scene, fresh: holding(OLD) }), live: refused })).toHaveLength(1);
    expect(checkKept({ ...caseOf({ ...scene, fresh: holding(NEW) }), live: refused })).toEqual([]);
    expect(checkKept({ ...caseOf({ ...scene, fresh: says(NEW) }), live: refused })).toEqual([]);
  });

  test("may be a part of what was there before", () => {
    const shorter = {
      ...scene,
      states: [holding("Deputy: Pavel Novak (interim)")],
      steps: [edit("Pavel Novak"), click("Save")],
    };
    expect(checkKept(caseOf({ ...shorter, fresh: holding("Deputy: Pavel Novak") }))).toEqual([]);
    expect(checkKept(caseOf({ ...shorter, fresh: holding("Deputy: Pavel Novak (interim)") }))).toHaveLength(1);
  });

  test("is no message of the site, even if it says that something is no longer possible", () => {
    const proven = (text: string, fresh: string) => {
      const context = caseOf({ ...scene, states: [holding(OLD), says(fresh)], fresh: says(fresh) });
      const conditions = [{ kind: "text" as const, url: HOME, text, about: "" }];
      return checkProofs({ ...context, claim: { ...context.claim, conditions } });
    };
    expect(proven("The crane lifts 5 tonnes.", NEW)).toEqual([]);
    expect(proven("5 tonnes", "5 tonnes: this page can no longer be changed.")).toHaveLength(1);
  });
});

describe("what was deleted", () => {
  test("is not back on a fresh page, whatever the claim says about it", () => {
    const list = (...names: string[]) => names.map((name) => node("link", name));
    const scene = {
      prompt: "Delete the folder with the tax papers.",
      states: [list("Music", "Tax papers"), list("Music")],
      steps: [click("Tax papers"), { ...click("Delete folder"), url: `${HOME}/7` }],
      writes: [{ step: 2 }],
    };
    expect(checkGone(caseOf({ ...scene, fresh: list("Music", "Tax papers") }))).toMatchObject([
      { verdict: "contradicted", evidence: expect.stringContaining("shows it again") },
    ]);
    expect(checkGone(caseOf({ ...scene, fresh: [...list("Music"), ...says("Deleted: Tax papers")] }))).toEqual([]);
    expect(checkGone(caseOf({ ...scene, writes: [], fresh: list("Music", "Tax papers") }))).toEqual([]);
    const late = {
      ...scene,
      states: [says("Loading…"), ...scene.states],
      steps: [...scene.steps.slice(0, 1), { ...scene.steps[1], seen: { observationNumber: 2, position: null } }],
    };
    expect(checkGone(caseOf({ ...late, fresh: list("Music", "Tax papers") }))).toHaveLength(1);
    const still = { ...scene, states: [list("Music", "Tax papers")] };
    expect(checkGone(caseOf({ ...still, fresh: list("Music", "Tax papers") }))).toEqual([]);
  });

  const gone = (fresh: string[]) =>
    checkAbsent(
      { kind: "absent", url: HOME, text: "Tax papers", about: "" },
      caseOf({
        prompt: "Delete it.",
        states: [says("Folders", "Music", "Tax papers", "Add folder"), says("Folders", "Music", "Add folder")],
        fresh: says(...fresh),
      }),
    ).verdict;

  test("is missing on a page that shows what was beside it", () => {
    expect(gone(["Folders", "Music", "Add folder"])).toBe("satisfied");
    expect(gone(["Folders", "Music", "Tax papers", "Add folder"])).toBe("contradicted");
  });

  test("is not known to be missing on a page that has not loaded", () => {
    expect(gone(["Loading"])).toBe("unknown");
  });
});

describe("what the task names", () => {
  const buttons = (...names: string[]) => names.map((name, index) => node("button", name, { ref: `e${index}` }));
  const scene = {
    prompt: 'Rename the folder "Holiday photos" to "Summer photos" and save.',
    states: [buttons("Up to date: Holiday photos", "Up to date: Tax papers")],
    steps: [{ call: { action: "fill", input: { label: "Label", text: "Summer photos" } } }, click("Save")],
    writes: [{ step: 2 }],
  };

  test("has another name afterwards, and not something else", () => {
    expect(checkNamed(caseOf({ ...scene, fresh: buttons("Summer photos", "Tax papers") }))).toEqual([]);
    const fresh = buttons("Holiday photos", "Summer photos");
    expect(checkNamed(caseOf({ ...scene, fresh }))).toHaveLength(1);
    const steps = scene.steps.map((step) => ({ ...step, seen: { observationNumber: 2, position: null } }));
    expect(checkNamed(caseOf({ ...scene, states: [says("Loading…"), ...scene.states], steps, fresh }))).toHaveLength(1);
  });

  test.each([
    ["Rename the flow Garage log to Garage journal and deploy.", "Garage journel", 1],
    ["Rename the flow Garage log to Garage journal and deploy.", "Garage journal", 0],
    ["Change the title to weekly report for all users.", "Weekly repotr", 1],
    ["Set the name to the plural of Garage journal.", "Garage journals", 0],
    ["Rename it to something shorter.", "Log", 0],
  ])("%s is not done by entering %s: %i", (prompt, text, count) => {
    const steps = [{ call: { action: "fill", input: { label: "Name", text } } }, click("Save")];
    const names = checkNamed(caseOf({ prompt, states: [buttons("Garage log")], steps, writes: [{ step: 2 }] }));
    expect(names).toHaveLength(count);
  });

  test.each([
    ['Create a supplier called "Birch and Sons" in the city "Oslo".', ["Birch and Sons", "Oslo"], 0],
    ['Create a supplier called "Birch and Sons" in the city "Oslo".', ["Birch and Sons", "Bergen"], 1],
    ['Change the city to "Oslo" if the status says "open", and the note to "sent".', ["Oslo", "sent"], 0],
  ])("is what stands between quotation marks, and not what is between two quotations: %s", (prompt, texts, count) => {
    const fills = texts.map((text) => ({ call: { action: "fill", input: { label: "Field", text } } }));
    const steps = [...fills, click("Save")];
    expect(checkNamed(caseOf({ prompt, steps, writes: [{ step: steps.length }] }))).toHaveLength(count);
  });

  test("may still be named where the page says what was done", () => {
    const fresh = [...buttons("Summer photos", "Tax papers"), ...says('Renamed "Holiday photos" to "Summer photos".')];
    expect(checkNamed(caseOf({ ...scene, fresh }))).toEqual([]);
  });

  test("is not the button beside one that only shows something", () => {
    const prompt = 'Change "4 tonnes" to "5 tonnes" and save the page.';
    const states = [[...buttons("Save changes", "Show preview", "Show changes"), ...says("4 tonnes, 5 tonnes")]];
    const steps = [edit("5 tonnes"), click("Show preview")];
    expect(checkNamed(caseOf({ prompt, states, steps, writes: [{ step: 2 }] }))).toEqual([]);
  });
});
