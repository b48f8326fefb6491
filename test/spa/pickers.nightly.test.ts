import { describe, expect, test } from "vitest";
import { openSpaPage } from "./_harness.ts";

describe("colours", () => {
  test("react-colorful: a value that is typed", async () => {
    const page = await openSpaPage("colours");
    expect((await page.act("fill", "Accent colour", { text: "336699" })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ accent: "#336699" });
    await page.act("click", "Save");
    expect(page.record()).toEqual([expect.objectContaining({ accent: "#336699" })]);
  });

  test("react-colorful: the hue, with the arrow keys", async () => {
    const page = await openSpaPage("colours");
    for (let times = 0; times < 3; times += 1) await page.act("press", "Hue", { key: "ArrowRight" });
    expect(page.find("Hue").value).not.toBe("0");
    const { accent } = (await page.state()) as { accent: string };
    expect(accent).not.toBe("#aa0000");
    await page.act("click", "Save");
    expect(page.record()).toEqual([expect.objectContaining({ accent })]);
  });

  test("Mantine: a value that is typed", async () => {
    const page = await openSpaPage("colours");
    expect((await page.act("fill", "Brand colour", { text: "#12ab34" })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ brand: "#12ab34" });
    expect((await page.act("click", "Save")).failure).toBeNull();
    expect(page.record()).toEqual([expect.objectContaining({ brand: "#12ab34" })]);
  });
});

describe("command palettes", () => {
  test("cmdk: opened with a shortcut, searched and run with Enter", async () => {
    const page = await openSpaPage("palette-cmdk");
    expect((await page.act("press", null, { key: "Ctrl+K" })).failure).toBeNull();
    expect((await page.act("fill", "Commands", { text: "export", submit: true })).failure).toBeNull();
    expect(await page.state()).toEqual({ isOpen: false, ran: ["Export report"] });
    expect(page.record()).toEqual([{ command: "Export report" }]);
  });

  test("cmdk: a command that is clicked", async () => {
    const page = await openSpaPage("palette-cmdk");
    await page.act("press", null, { key: "Control+k" });
    expect((await page.act("click", "Switch theme")).failure).toBeNull();
    expect(await page.state()).toEqual({ isOpen: false, ran: ["Switch theme"] });
    expect(page.record()).toEqual([{ command: "Switch theme" }]);
  });

  test("cmdk: a command that does not exist", async () => {
    const page = await openSpaPage("palette-cmdk");
    await page.act("press", null, { key: "Control+k" });
    await page.act("fill", "Commands", { text: "delete everything", submit: true });
    expect(page.text()).toContain("No command found.");
    expect(page.record()).toEqual([]);
  });

  test("Spotlight: searched, and chosen with the keyboard", async () => {
    const page = await openSpaPage("palette-spotlight");
    expect((await page.act("click", "Search")).failure).toBeNull();
    expect((await page.act("fill", "Go to", { text: "doc", submit: true })).failure).toBeNull();
    expect(await page.state()).toEqual({ opened: "Documentation" });
    expect(page.record()).toEqual([{ opened: "Documentation" }]);
  });
});

describe("menus", () => {
  test("Mantine: an item of the menu in a row", async () => {
    const page = await openSpaPage("menus");
    const { matches } = (await page.act("find", null, { words: "⋮" })).data as {
      matches: { ref: string; within: string }[];
    };
    const row = matches.find(({ within }) => within.includes("Invoice 2"));
    const [opened] = await page.perform([{ action: "click", input: { ref: row?.ref, label: "⋮" } }]);
    expect(opened?.failure).toBeNull();
    expect((await page.act("click", "Duplicate")).failure).toBeNull();
    expect(await page.state()).toEqual({ done: ["duplicate Invoice 2"] });
    expect(page.record()).toEqual([{ what: "duplicate Invoice 2" }]);
  });

  test("Mantine: an item of a menu in a menu", async () => {
    const page = await openSpaPage("menus");
    await page.act("click", "⋮");
    expect((await page.act("hover", "Move to")).failure).toBeNull();
    expect((await page.act("click", "Archive")).failure).toBeNull();
    expect(await page.state()).toEqual({ done: ["archive Invoice 1"] });
    expect(page.record()).toEqual([{ what: "archive Invoice 1" }]);
  });

  test("Mantine: a menu that opens under the mouse", async () => {
    const page = await openSpaPage("menus");
    const { added } = await page.act("hover", "Help");
    expect(added.join()).toContain("Keyboard shortcuts");
    expect((await page.act("click", "Keyboard shortcuts")).failure).toBeNull();
    expect(page.record()).toEqual([{ what: "shortcuts" }]);
    expect(await page.state()).toEqual({ done: ["shortcuts"] });
  });

  test("Mantine: a menu bar, with the keyboard alone", async () => {
    const page = await openSpaPage("menus");
    await page.act("press", "File", { key: "ArrowRight" });
    expect(page.find("Edit").states.active).toBe(true);
    await page.act("press", null, { key: "ArrowDown" });
    await page.act("press", null, { key: "ArrowDown" });
    expect(page.find("Redo").states.active).toBe(true);
    await page.act("press", null, { key: "Enter" });
    expect(await page.state()).toEqual({ done: ["redo"] });
    expect(page.record()).toEqual([{ what: "redo" }]);
  });

  test("MUI: an item of a menu over the whole page", async () => {
    const page = await openSpaPage("menus");
    expect((await page.act("select", "Account", { options: ["Sign out"] })).failure).toBeNull();
    expect(await page.state()).toEqual({ done: ["sign out"] });
    expect(page.record()).toEqual([{ what: "sign out" }]);
  });
});
