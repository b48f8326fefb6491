import { describe, expect, test } from "vitest";
import { type Finding, findTarget, type Purpose } from "../../../src/agent/steps/find-target.ts";
import type { Target } from "../../../src/agent/steps/step.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { field, node, observation } from "../../_harness/observed.ts";

const URL = "https://shop.example/";
let refs = 0;

function element(role: string, name: string, more: Partial<ObservedNode> = {}): ObservedNode {
  return node(role, name, { ref: `e${++refs}`, ...more });
}

const button = (name: string, more: Partial<ObservedNode> = {}) => element("button", name, more);
const link = (name: string, url = `${URL}${++refs}`) => element("link", name, { url });
const checkbox = (name: string) => element("checkbox", name, { states: { checked: false }, field: field("checkbox") });
const textbox = (name: string, more: Partial<ObservedNode> = {}) =>
  element("textbox", name, { value: "", field: field("text"), ...more });
const box = (role: string, name: string, ...children: ObservedNode[]) => node(role, name, { children });
const heading = (name: string, level = 2) => node("heading", name, { states: { level } });
const row = (name: string, ...children: ObservedNode[]) =>
  box("row", "", box("cell", "", node("text", name)), ...children);

function find(target: Target, page: ObservedNode[], purpose: Purpose = "click", lastField?: ObservedNode): Finding {
  return findTarget(observation(URL, page), target, purpose, lastField ?? null);
}

function expectFound(finding: Finding, expected: ObservedNode): void {
  expect(finding).toEqual({ kind: "found", node: expected });
}

describe("levels of names", () => {
  test("exactly this name comes before the same in another case, and that before a longer one", () => {
    const [exact, upper, longer] = [button("Save"), button("SAVE"), button("Save as draft")];
    expectFound(find({ name: "Save" }, [longer, upper, exact]), exact);
    expectFound(find({ name: "Save" }, [longer, upper]), upper);
    expectFound(find({ name: "Save" }, [longer]), longer);
  });

  test("a longer name must have the words as words", () => {
    expect(find({ name: "Save" }, [button("Saved searches")]).kind).toBe("none");
    const saved = button("Saved or save");
    expectFound(find({ name: "Save" }, [saved]), saved);
  });

  test.each(["Title *", "Title:", "title…", " Title "])("what forms put behind a label does not count: %s", (name) => {
    const only = textbox(name);
    expectFound(find({ name: "Title" }, [only, textbox("Subtitle")], "fill"), only);
  });

  test.each(["…", "*", "."])("a name of signs is a name, and not any element without one: %s", (name) => {
    const [nameless, signs] = [button(""), button(name)];
    expectFound(find({ name }, [nameless, signs]), signs);
    expect(find({ name }, [nameless]).kind).toBe("none");
  });

  test("a placeholder and a key come after every name", () => {
    const byPlaceholder = textbox("", { field: field("text", { placeholder: "Your city" }) });
    const byKey = textbox("", { field: field("text", { key: "zip" }) });
    const named = textbox("Zip");
    expectFound(find({ name: "city" }, [byPlaceholder, byKey], "fill"), byPlaceholder);
    expectFound(find({ name: "ZIP" }, [byPlaceholder, byKey], "fill"), byKey);
    expectFound(find({ name: "ZIP" }, [byPlaceholder, byKey, named], "fill"), named);
  });

  test("a level with several refuses, and lists them", () => {
    const finding = find({ name: "Edit" }, [button("Edit name"), button("Edit address"), button("Delete")]);
    expect(finding).toMatchObject({ kind: "several" });
    expect(finding.kind === "several" && finding.reason).toContain('the button "Edit name", the button "Edit address"');
  });

  test("several of one name are listed with what tells them apart, and not without end", () => {
    const rows = Array.from({ length: 40 }, (_, index) => row(`Tree ${index}`, button("Edit")));
    const finding = find({ name: "Edit" }, [box("table", "", ...rows)]);
    const reason = finding.kind === "several" ? finding.reason : "";
    expect(reason).toContain('in the row "Tree 0');
    expect(reason).toContain("34 more");
    expect(reason.length).toBeLessThan(800);
  });

  test("what is missing is reported with what is near", () => {
    const finding = find({ name: "Save draft" }, [button("Save"), button("Delete")]);
    expect(finding).toMatchObject({ kind: "none", reason: expect.stringContaining('the button "Save"') });
  });

  test("a long name of signs takes no time", () => {
    const name = `${".".repeat(100_000)}a`;
    const start = process.cpuUsage();
    expect(find({ name: "Save" }, [button(name)]).kind).toBe("none");
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(500);
  });
});

describe("the verb tells", () => {
  test("a click prefers links and buttons to a checkbox of the same name", () => {
    const [box_, link_] = [checkbox("Archive"), link("Archive")];
    expectFound(find({ name: "Archive" }, [box_, link_]), link_);
    expectFound(find({ name: "Archive" }, [box_, link_], "check"), box_);
    expectFound(find({ name: "Archive" }, [box_]), box_);
  });

  test("a value goes into a field, and not into the button of the same name", () => {
    const [go, input] = [button("Search"), textbox("Search")];
    expectFound(find({ name: "Search" }, [go, input], "fill"), input);
    expectFound(find({ name: "Search" }, [go, input]), go);
  });

  test("what is disabled is meant only when there is nothing else", () => {
    const [off, on] = [button("Next", { states: { disabled: true } }), button("Next")];
    expectFound(find({ name: "Next" }, [off, on]), on);
    expectFound(find({ name: "Next" }, [off]), off);
  });

  test("two links of one name are not told apart by a guess", () => {
    expect(find({ name: "Orders" }, [link("Orders", `${URL}a`), link("Orders", `${URL}b`)]).kind).toBe("several");
  });
});

describe("the role", () => {
  test("narrows down, and gives way where nothing has it", () => {
    const [asLink, asButton] = [link("Orders"), button("Orders")];
    expectFound(find({ role: "button", name: "Orders" }, [asLink, asButton]), asButton);
    expectFound(find({ role: "link", name: "Orders" }, [asLink, asButton]), asLink);
    expectFound(find({ role: "button", name: "Orders" }, [asLink]), asLink);
  });

  test("may be a part of the name", () => {
    const [add, whole] = [button("Add"), button("Add link")];
    expectFound(find({ role: "link", name: "Add" }, [add, whole]), whole);
  });

  test("is enough when there is only one of it in the main part", () => {
    const [search, area] = [textbox("Search"), textbox("", { field: field("textarea") })];
    const page = [box("banner", "", search), box("main", "", area)];
    expectFound(find({ role: "field" }, page, "fill"), area);
    expectFound(find({ role: "text area" }, page, "fill"), area);
    expect(find({ role: "field" }, [textbox("A"), textbox("B")], "fill").kind).toBe("several");
    expect(find({ role: "text area" }, [textbox("A")], "fill").kind).toBe("none");
  });

  test("search field is the field, and not the form around it", () => {
    const input = textbox("", { field: field("text", { key: "q" }) });
    const form = element("search", "Search", { children: [input, button("Search")] });
    expectFound(find({ role: "search field" }, [form], "fill"), input);
    const plain = element("generic", "Search", { children: [input] });
    expectFound(find({ role: "search field" }, [plain, textbox("Name")], "fill"), input);
    expect(find({ role: "search field" }, [textbox("Name")], "fill").kind).toBe("none");
  });

  test("submit button is the only button of the form of the last field", () => {
    const [name, save] = [textbox("Name"), button("Save")];
    const page = [box("form", "", name, save), box("form", "", textbox("Other"), button("Delete"))];
    expectFound(find({ role: "submit button" }, page, "click", name), save);
    expect(find({ role: "submit button" }, page).kind).toBe("none");
    const two = [box("form", "", name, save, button("Cancel"))];
    expect(find({ role: "submit button" }, two, "click", name).kind).toBe("several");
  });
});

describe("the place", () => {
  const table = () => {
    const edits = ["Larch", "Larch, old", "Oak"].map((name) => [name, button("Edit")] as const);
    return { edits, page: [box("table", "Trees", ...edits.map(([name, edit]) => row(name, box("cell", "", edit))))] };
  };

  test("a row is the one with just this text, and not one that only mentions it", () => {
    const { edits, page } = table();
    expectFound(find({ name: "Edit", within: { row: "Larch" } }, page), edits[0]?.[1] as ObservedNode);
    expect(find({ name: "Edit", within: { row: "old" } }, page).kind).toBe("none");
    expect(find({ name: "Edit", within: { row: "Elm" } }, page)).toEqual({
      kind: "none",
      reason: 'The page has no row "Elm".',
    });
  });

  test("what cannot be undone needs its whole name, and a negation is another name", () => {
    expect(find({ name: "Delete" }, [button("Delete my account")]).kind).toBe("none");
    expect(find({ name: "Save" }, [button("Don't save")]).kind).toBe("none");
    const save = button("Save changes");
    expectFound(find({ name: "Save" }, [save]), save);
  });

  test("two rows of one name are refused", () => {
    const page = [box("table", "", row("Larch", button("Edit")), row("Larch", button("Edit")))];
    expect(find({ name: "Edit", within: { row: "Larch" } }, page).kind).toBe("several");
  });

  test("a section is a region, or what is below a heading up to the next", () => {
    const [first, second, third] = [button("Edit"), button("Edit"), button("Edit")];
    const page = [
      heading("Sender"),
      first,
      heading("Recipient"),
      heading("Street", 3),
      second,
      heading("Notes"),
      third,
    ];
    expectFound(find({ name: "Edit", within: { section: "Recipient" } }, page), second);
    expectFound(find({ name: "Edit", within: { section: "notes" } }, page), third);
    const region = box("region", "Recipient", third);
    expectFound(find({ name: "Edit", within: { section: "Recipient" } }, [first, region]), third);
  });

  test("an open dialog comes first, and can be named", () => {
    const [behind, inFront, save] = [button("Cancel"), button("Cancel"), button("Save")];
    const page = [behind, save, box("dialog", "Delete tree?", inFront)];
    expectFound(find({ name: "Cancel" }, page), inFront);
    expectFound(find({ name: "Cancel", within: { dialog: true } }, page), inFront);
    expectFound(find({ name: "Save" }, page), save);
    expect(find({ name: "Save", within: { dialog: true } }, page).kind).toBe("none");
  });

  test("a form goes by its name, or by a field or button in it", () => {
    const [one, other] = [button("Send"), button("Send")];
    const page = [box("form", "Contact", one), box("form", "", textbox("E-mail"), other)];
    expectFound(find({ name: "Send", within: { form: "Contact" } }, page), one);
    expectFound(find({ name: "Send", within: { form: "E-mail" } }, page), other);
  });
});

describe("of several", () => {
  const three = [button("Edit"), button("Edit"), button("Edit")];

  test.each([
    [1, 0],
    [2, 1],
    [-1, 2],
  ])("number %s is meant", (nth, index) => {
    expectFound(find({ name: "Edit", nth }, three), three[index] as ObservedNode);
  });

  test("number 4 of 3 is missing", () => {
    expect(find({ name: "Edit", nth: 4 }, three)).toMatchObject({ kind: "none", reason: expect.stringContaining("3") });
  });

  test("two links of one name to one page are one", () => {
    const [one, other] = [link("Terms", `${URL}terms`), link("Terms", `${URL}terms`)];
    const page = [box("navigation", "", one), box("contentinfo", "", other)];
    expectFound(find({ name: "Terms" }, page), one);
  });

  test("links to # are not one, and neither are links of different rows", () => {
    expect(find({ name: "More" }, [link("More", `${URL}#`), link("More", `${URL}#`)]).kind).toBe("several");
    const rows = ["Larch", "Oak"].map((name) => row(name, link("Delete", `${URL}delete`)));
    expect(find({ name: "Delete" }, [box("table", "", ...rows)]).kind).toBe("several");
  });

  test("the parts of a link are the link", () => {
    const inner = element("generic", "Orders");
    const outer = element("link", "Orders", { url: `${URL}orders`, children: [inner] });
    expectFound(find({ name: "Orders" }, [outer]), outer);
    const wrapped = element("generic", "Orders", { children: [outer] });
    expectFound(find({ name: "Orders" }, [wrapped]), outer);
  });

  test("elements that nothing can be done with are not targets", () => {
    expect(find({ name: "Orders" }, [node("button", "Orders")]).kind).toBe("none");
  });
});
