import { expect, test } from "vitest";
import { openSpaPage } from "./_harness.ts";

/** The short form of the other files in this folder, for the default tier. */

test("react-select: one option of a list", async () => {
  const page = await openSpaPage("combobox-react-select");
  expect((await page.act("select", "Country", { options: ["Norway"] })).failure).toBeNull();
  expect(await page.state()).toMatchObject({ country: "no" });
  await page.act("click", "Save");
  expect(page.record()).toEqual([expect.objectContaining({ country: "no" })]);
});

test("flatpickr: a day in a calendar", async () => {
  const page = await openSpaPage("dates-flatpickr");
  expect((await page.act("click", "Arrival")).failure).toBeNull();
  expect((await page.act("click", "March 18, 2026")).failure).toBeNull();
  expect(await page.state()).toMatchObject({ arrival: "2026-03-18" });
  await page.act("click", "Save");
  expect(page.record()).toEqual([expect.objectContaining({ arrival: "2026-03-18" })]);
});

test("cmdk: a command by its shortcut", async () => {
  const page = await openSpaPage("palette-cmdk");
  await page.act("press", null, { key: "Control+K" });
  expect((await page.act("fill", "Commands", { text: "export", submit: true })).failure).toBeNull();
  expect(await page.state()).toEqual({ isOpen: false, ran: ["Export report"] });
  expect(page.record()).toEqual([{ command: "Export report" }]);
});

test("Vue: changes that are saved by themselves", async () => {
  const page = await openSpaPage("vue-autosave");
  await page.act("fill", "Title", { text: "Shopping" });
  expect((await page.act("wait_for", null, { text: "All changes saved" })).failure).toBeNull();
  expect(page.record()).toEqual([expect.objectContaining({ title: "Shopping" })]);
  expect(await page.state()).toMatchObject({ title: "Shopping", status: "All changes saved" });
});

test("Svelte: a message that arrives by socket, and a reply", async () => {
  const page = await openSpaPage("svelte-chat");
  await page.act("wait_for", null, { text: "Connected" });
  page.push({ from: "Grace", text: "The build is green" });
  expect((await page.act("wait_for", null, { text: "The build is green" })).failure).toBeNull();
  expect((await page.act("fill", "Message", { text: "Thanks" })).failure).toBeNull();
  expect((await page.act("click", "Send")).failure).toBeNull();
  expect(await page.state()).toMatchObject({ messages: [{ text: "The build is green" }, { text: "Thanks" }] });
  expect(page.record()).toEqual([{ text: "Thanks" }]);
});
