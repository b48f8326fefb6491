import { describe, expect, test } from "vitest";
import { openSpaPage } from "./_harness.ts";

describe("Vue", () => {
  test("a form with every kind of binding", async () => {
    const page = await openSpaPage("vue-form");
    expect((await page.act("fill", "Name", { text: " Ada Lovelace " })).failure).toBeNull();
    expect((await page.act("fill", "Guests", { text: "3" })).failure).toBeNull();
    expect((await page.act("check", "Dinner", { checked: true })).failure).toBeNull();
    expect((await page.act("select", "Room", { options: ["Double"] })).failure).toBeNull();
    expect((await page.act("fill", "Note", { text: "Late arrival\nabout 23:00" })).failure).toBeNull();
    expect((await page.act("click", "Book")).failure).toBeNull();
    const booking = { name: "Ada Lovelace", guests: 3, meals: ["dinner"], room: "double" };
    expect(await page.state()).toMatchObject({ ...booking, isDone: true });
    expect(page.record()).toEqual([{ ...booking, note: "Late arrival\nabout 23:00" }]);
    expect(page.text()).toContain("Thank you, Ada Lovelace");
  });

  test("a form that is incomplete shows why, and sends nothing", async () => {
    const page = await openSpaPage("vue-form");
    const { added } = await page.act("click", "Book");
    expect(added.join()).toContain("Enter a name");
    expect(await page.state()).toMatchObject({ problems: ["Enter a name"], isDone: false });
    expect(page.record()).toEqual([]);
  });

  test("changes that are saved by themselves after a pause", async () => {
    const page = await openSpaPage("vue-autosave");
    await page.act("fill", "Title", { text: "Shopping" });
    await page.act("fill", "Text", { text: "Milk" });
    await page.act("check", "Public", { checked: true });
    const note = { title: "Shopping", text: "Milk", tags: ["idea"], isPublic: true };
    expect((await page.act("wait_for", null, { text: "All changes saved" })).failure).toBeNull();
    expect(page.record().at(-1)).toEqual(note);
    expect(await page.state()).toMatchObject({ ...note, status: "All changes saved" });
  });
});

describe("Svelte", () => {
  test("a message that arrives by socket, without anything being done", async () => {
    const page = await openSpaPage("svelte-chat");
    await page.act("wait_for", null, { text: "Connected" });
    page.push({ from: "Grace", text: "The build is green" });
    expect((await page.act("wait_for", null, { text: "The build is green" })).failure).toBeNull();
    expect(await page.state()).toMatchObject({ messages: [{ from: "Grace", text: "The build is green" }] });
    expect(page.record()).toEqual([]);
  });

  test("a message that is sent with a button that typing enables", async () => {
    const page = await openSpaPage("svelte-chat");
    expect((await page.act("fill", "Message", { text: "Thanks" })).failure).toBeNull();
    expect((await page.act("click", "Send")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ draft: "", messages: [{ from: "me", text: "Thanks" }] });
    expect(page.record()).toEqual([{ text: "Thanks" }]);
  });

  test("an order in steps that fade in", async () => {
    const page = await openSpaPage("svelte-wizard");
    expect((await page.act("check", "Team", { checked: true })).failure).toBeNull();
    expect((await page.act("click", "Next")).failure).toBeNull();
    expect((await page.act("fill", "Seats", { text: "12" })).failure).toBeNull();
    expect((await page.act("check", "I agree to the terms", { checked: true })).failure).toBeNull();
    expect((await page.act("click", "Order")).failure).toBeNull();
    expect(await page.state()).toMatchObject({ plan: "Team", seats: 12, isDone: true });
    expect(page.record()).toEqual([{ plan: "Team", seats: 12 }]);
  });
});
