import { describe, expect, test } from "vitest";
import { walk } from "../../src/browser/observation/observation.ts";
import { openSpaPage, type SpaPage } from "./_harness.ts";

async function click(page: SpaPage, name: string): Promise<void> {
  expect((await page.act("click", name)).failure).toBeNull();
}

/** The arrows of the calendar have no names. The one that leads on comes after the name of the month. */
async function clickAfter(page: SpaPage, name: string): Promise<void> {
  const buttons = [...walk(page.observation.root)].map(({ node }) => node).filter(({ role }) => role === "button");
  const arrow = buttons[buttons.findIndex((button) => button.name === name) + 1];
  const [report] = await page.perform([{ action: "click", input: { ref: arrow?.ref, label: arrow?.name } }]);
  expect(report?.failure).toBeNull();
}

async function expectSaved(page: SpaPage, expected: object): Promise<void> {
  await expect.poll(() => page.state()).toMatchObject(expected);
  await click(page, "Save");
  expect(page.record()).toEqual([expect.objectContaining(expected)]);
}

describe("flatpickr", () => {
  test("a day of the month that is shown", async () => {
    const page = await openSpaPage("dates-flatpickr");
    await click(page, "Arrival");
    await click(page, "March 18, 2026");
    await expectSaved(page, { arrival: "2026-03-18" });
  });

  test("a day of another month", async () => {
    const page = await openSpaPage("dates-flatpickr");
    await click(page, "Arrival");
    expect((await page.act("select", "Month", { options: ["July"] })).failure).toBeNull();
    await click(page, "July 4, 2026");
    await expectSaved(page, { arrival: "2026-07-04" });
  });

  test("a range, with two clicks", async () => {
    const page = await openSpaPage("dates-flatpickr");
    await click(page, "Stay");
    await click(page, "March 20, 2026");
    await click(page, "March 25, 2026");
    await expectSaved(page, { stay: "2026-03-20 to 2026-03-25" });
  });

  test("a day and a time", async () => {
    const page = await openSpaPage("dates-flatpickr");
    await click(page, "Meeting");
    await click(page, "March 12, 2026");
    for (const [field, text] of [
      ["Hour", "14"],
      ["Minute", "30"],
    ] as const) {
      expect((await page.act("fill", field, { text })).failure).toBeNull();
    }
    await page.act("press", "Minute", { key: "Enter" });
    await expectSaved(page, { meeting: "2026-03-12 14:30" });
  });

  test("a date that is typed", async () => {
    const page = await openSpaPage("dates-flatpickr");
    expect((await page.act("fill", "Invoice date", { text: "2026-04-01", submit: true })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ typed: "2026-04-01" });
  });

  test("a field that only its calendar fills says so", async () => {
    const page = await openSpaPage("dates-flatpickr");
    const { failure } = await page.act("fill", "Arrival", { text: "2026-03-18" });
    expect(failure).toMatchObject({ kind: "disabled", message: expect.stringContaining("Click it") });
  });
});

describe("Mantine dates", () => {
  test("a day of another month", async () => {
    const page = await openSpaPage("dates-mantine");
    await click(page, "Day");
    await clickAfter(page, "March 2026");
    await click(page, "18 April 2026");
    await expectSaved(page, { day: "2026-04-18" });
  });

  test("a range", async () => {
    const page = await openSpaPage("dates-mantine");
    await click(page, "Trip");
    await click(page, "12 March 2026");
    await click(page, "15 March 2026");
    await expectSaved(page, { trip: ["2026-03-12", "2026-03-15"] });
  });

  test("a date that is typed in the format of the field", async () => {
    const page = await openSpaPage("dates-mantine");
    expect((await page.act("fill", "Born", { text: "24/12/1990" })).failure).toBeNull();
    // The calendar that typing has opened covers the button.
    await page.act("press", "Born", { key: "Escape" });
    await expectSaved(page, { born: "1990-12-24" });
  });

  test("a month of another year", async () => {
    const page = await openSpaPage("dates-mantine");
    await click(page, "Month");
    await clickAfter(page, "2026");
    await click(page, "Aug");
    await expectSaved(page, { month: "2027-08-01" });
  });

  test("a time in two fields", async () => {
    const page = await openSpaPage("dates-mantine");
    expect((await page.act("fill", "Time", { text: "14" })).failure).toBeNull();
    expect((await page.act("fill", "--", { text: "05" })).failure).toBeNull();
    await expectSaved(page, { time: "14:05" });
  });
});
