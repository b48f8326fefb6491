import { expect, test } from "vitest";
import { openSpaPage, type SpaPage } from "./_harness.ts";

async function expectSaved(page: SpaPage, expected: object): Promise<void> {
  await expect.poll(() => page.state()).toMatchObject(expected);
  expect((await page.act("click", "Save")).failure).toBeNull();
  expect(page.record()).toEqual([expect.objectContaining(expected)]);
}

async function check(page: SpaPage, name: string, checked: boolean): Promise<void> {
  expect((await page.act("check", name, { checked })).failure).toBeNull();
}

test("Mantine: a switch is turned on, and stays on when that is asked again", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "Dark mode", true);
  expect((await page.act("check", "Dark mode", { checked: true })).data).toEqual({ already: true });
  await expectSaved(page, { isDark: true });
});

test("MUI: a switch is turned off", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "Sound", false);
  await expectSaved(page, { isLoud: false });
});

test("Mantine: chips", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "Large", true);
  await check(page, "Small", false);
  await expectSaved(page, { sizes: ["large"] });
});

test("Mantine: one card of several", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "Paid monthly", true);
  await expectSaved(page, { plan: "paid" });
});

test("Mantine: a card that is a checkbox", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "I have read the rules", true);
  await expectSaved(page, { isAgreed: true });
});

test("MUI: buttons that stay pressed", async () => {
  const page = await openSpaPage("toggles");
  await check(page, "Italic", true);
  await check(page, "Bold", false);
  await expectSaved(page, { formats: ["italic"] });
});

test("Mantine: a file for a field that is a button", async () => {
  const page = await openSpaPage("toggles");
  expect((await page.act("upload", "Letter", { name: "letter.txt", content: "Dear Ada" })).failure).toBeNull();
  await expectSaved(page, { letter: "letter.txt: Dear Ada" });
});

test("Mantine: a file for a button with a hidden field", async () => {
  const page = await openSpaPage("toggles");
  expect((await page.act("upload", "Add picture", { name: "a.svg", content: "<svg/>" })).failure).toBeNull();
  await expectSaved(page, { picture: "a.svg: <svg/>" });
});
