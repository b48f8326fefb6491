import { expect, test } from "vitest";
import { openSpaPage, type SpaPage } from "./_harness.ts";

async function press(page: SpaPage, name: { role: string; name: string } | string, ...keys: string[]): Promise<void> {
  for (const key of keys) expect((await page.act("press", name, { key })).failure).toBeNull();
}

async function expectSaved(page: SpaPage, expected: object): Promise<void> {
  await expect.poll(() => page.state()).toMatchObject(expected);
  expect((await page.act("click", "Save")).failure).toBeNull();
  expect(page.record()).toEqual([expect.objectContaining(expected)]);
}

test("Mantine: a slider, with the arrow keys", async () => {
  const page = await openSpaPage("keyboard");
  await press(page, { role: "slider", name: "Volume" }, "ArrowRight", "ArrowRight");
  expect(page.find({ role: "slider", name: "Volume" }).value).toBe("50");
  await expectSaved(page, { volume: 50 });
});

test("Mantine: a slider, by its value", async () => {
  const page = await openSpaPage("keyboard");
  expect((await page.act("fill", { role: "slider", name: "Volume" }, { text: "75" })).failure).toBeNull();
  await expectSaved(page, { volume: 75 });
});

test("Mantine: both ends of a range", async () => {
  const page = await openSpaPage("keyboard");
  expect((await page.act("fill", "Lowest price", { text: "30" })).failure).toBeNull();
  expect((await page.act("fill", "Highest price", { text: "60" })).failure).toBeNull();
  await expectSaved(page, { price: [30, 60] });
});

test("Mantine: a value that a slider cannot have is refused", async () => {
  const page = await openSpaPage("keyboard");
  const slider = { role: "slider", name: "Volume" };
  expect((await page.act("fill", slider, { text: "500" })).failure).toMatchObject({ kind: "invalid_input" });
  expect((await page.act("fill", slider, { text: "loud" })).failure).toMatchObject({ kind: "invalid_input" });
  await expectSaved(page, { volume: 40 });
});

test("MUI: a slider, by its value", async () => {
  const page = await openSpaPage("keyboard");
  expect((await page.act("fill", { role: "slider", name: "Zoom" }, { text: "8" })).failure).toBeNull();
  await expectSaved(page, { zoom: 8 });
});

test("Mantine: a rating", async () => {
  const page = await openSpaPage("keyboard");
  expect((await page.act("check", { role: "radio", name: "4" }, { checked: true })).failure).toBeNull();
  await expectSaved(page, { stars: 4 });
});

test("Mantine: a segment of a control", async () => {
  const page = await openSpaPage("keyboard");
  expect((await page.act("check", { role: "radio", name: "Board" }, { checked: true })).failure).toBeNull();
  await expectSaved(page, { view: "Board" });
});

test("Mantine: tabs, with the arrow keys", async () => {
  const page = await openSpaPage("keyboard");
  await press(page, "General", "ArrowRight");
  await press(page, "Members", "ArrowRight");
  expect(page.find("Billing").states.selected).toBe(true);
  expect(page.text()).toContain("Paid until May");
  await expectSaved(page, { tab: "billing" });
});

test("Mantine: a tree, with the keyboard alone", async () => {
  const page = await openSpaPage("keyboard");
  const work = { role: "treeitem", name: "Work" };
  await press(page, work, "ArrowRight");
  expect(page.find(work).states.expanded).toBe(true);
  await press(page, work, "ArrowDown");
  expect(page.find({ role: "treeitem", name: "Plans" }).states.active).toBe(true);
  expect((await page.act("click", "Bills")).failure).toBeNull();
  await expectSaved(page, { folders: ["bills"] });
});
