import { describe, expect, test } from "vitest";
import { walk } from "../../src/browser/observation/observation.ts";
import { openSpaPage } from "./_harness.ts";

describe("modals in portals", () => {
  test("Mantine: a form in a modal, with a list that opens above it", async () => {
    const page = await openSpaPage("modals");
    await page.act("click", "New task");
    expect((await page.act("fill", "Title", { text: "Water the plants" })).failure).toBeNull();
    expect((await page.act("select", "Priority", { options: ["High"] })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ opened: "task", title: "Water the plants", priority: "High" });
    expect((await page.act("click", "Create")).failure).toBeNull();
    expect(await page.state()).toMatchObject({
      opened: null,
      saved: [{ title: "Water the plants", priority: "High" }],
    });
    expect(page.record()).toEqual([{ title: "Water the plants", priority: "High" }]);
  });

  test("Mantine: what a modal covers is not clicked through it", async () => {
    const page = await openSpaPage("modals");
    const behind = page.find("Delete all");
    await page.act("click", "New task");
    const [report] = await page.perform([{ action: "click", input: { ref: behind.ref, label: "Delete all" } }]);
    expect(report?.failure).not.toBeNull();
    expect(await page.state()).toMatchObject({ opened: "task" });
    await page.act("press", null, { key: "Escape" });
    expect(await page.state()).toMatchObject({ opened: null });
    expect(page.record()).toEqual([]);
  });

  test("Mantine: a drawer that slides in", async () => {
    const page = await openSpaPage("modals");
    await page.act("click", "Filters");
    expect((await page.act("click", "Only open tasks")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ opened: null, saved: [{ filter: "open" }] });
    expect(page.record()).toEqual([{ filter: "open" }]);
  });

  test("MUI: a question that is answered with no", async () => {
    const page = await openSpaPage("modals");
    const { added } = await page.act("click", "Delete all");
    expect(added.join(" ")).toContain("This cannot be undone.");
    expect((await page.act("click", "Keep")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ opened: null, saved: [] });
    expect(page.record()).toEqual([]);
  });
});

describe("toasts", () => {
  test("one that vanishes is in the report of what caused it", async () => {
    const page = await openSpaPage("toasts");
    const { added } = await page.act("click", "Save draft");
    expect(added.join(" ")).toContain("Saved as draft 17");
    expect((await page.act("wait_for", null, { gone: "Saved as draft 17" })).failure).toBeNull();
    expect(page.text()).not.toContain("Saved as draft 17");
    expect(page.record()).toEqual([{ message: "Saved as draft 17" }]);
    expect(await page.state()).toEqual({ saved: 1 });
  });

  test("one that covers a button is named, and can be closed", async () => {
    const page = await openSpaPage("toasts");
    await page.act("click", "Place order");
    const { failure } = await page.act("click", "Continue");
    expect(failure).toMatchObject({ kind: "covered", message: expect.stringContaining("Order 4711") });
    const toast = [...walk(page.observation.root)].find(({ node }) => node.role === "alert")?.node;
    const close = [...walk(toast ?? page.observation.root)].find(({ node }) => node.role === "button")?.node;
    const [closed] = await page.perform([{ action: "click", input: { ref: close?.ref, label: close?.name } }]);
    expect(closed?.failure).toBeNull();
    expect((await page.act("click", "Continue")).failure).toBeNull();
    expect(page.record()).toEqual([{ message: "Order 4711 was placed" }, { message: "Continued" }]);
  });

  test("one that covers a button and soon vanishes", async () => {
    const page = await openSpaPage("toasts");
    await page.act("click", "Save draft");
    await page.act("wait_for", null, { gone: "Saved as draft 17" });
    expect((await page.act("click", "Continue")).failure).toBeNull();
    expect(page.record()).toEqual([{ message: "Saved as draft 17" }, { message: "Continued" }]);
    expect(await page.state()).toEqual({ saved: 2 });
  });
});

describe("buttons that never stand still", () => {
  test.each([
    ["Subscribe", "subscribe"],
    ["Claim", "claim"],
  ])("%s is clicked once", async (button, name) => {
    const page = await openSpaPage("pulsing");
    expect((await page.act("click", button)).failure).toBeNull();
    expect(await page.state()).toEqual({ clicks: [name] });
    expect(page.record()).toEqual([{ name }]);
  });
});
