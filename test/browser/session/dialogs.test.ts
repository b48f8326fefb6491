import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { click, findNode, never, openSession, readText, type Site, serve } from "../../_harness/browser-session.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": `<title>Dialogs</title><p>nothing yet</p><script>const say = (text) => { document.querySelector("p").textContent = text; }</script>
      <button onclick="say(confirm('Sure?') ? 'yes' : 'no')">Confirm</button>
      <button onclick="say(prompt('Name?', 'nobody'))">Prompt</button>
      <button onclick="alert('one'); alert('two'); say('both')">Twice</button>
      <button onclick="say('other')">Other</button>
      <button onclick="onbeforeunload = (event) => event.preventDefault()">Stay</button>`,
    "/loud": "<title>Loud</title><script>alert('hello')</script>after",
    "/endless": "<button onclick='for (;;) alert(1)'>Endless</button>",
  });
  pool = await openSharedPool({ maxDialogs: 5, hangMs: 2_000 });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("keeps a dialog open until it is answered, and shows the page as it was before", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const mark = session.mark();
  await click(session, "Confirm");
  const dialog = { kind: "confirm", message: "Sure?", defaultText: "" };
  expect(session.dialog).toEqual(dialog);
  expect(session.since(mark).dialogs).toEqual([{ dialog, answer: null }]);
  const observation = await session.observe(never);
  expect(observation).toMatchObject({ title: "Dialogs", dialog });
  expect(findNode(observation, "Confirm").role).toBe("button");
  expect(await session.screenshot()).toBeNull();

  await session.settle(() => session.answerDialog({ accept: true }), never);
  expect(session.dialog).toBeNull();
  expect(session.since(mark).dialogs).toEqual([{ dialog, answer: "accepted" }]);
  expect(await readText(session)).toContain("yes");

  await click(session, "Prompt");
  expect(session.dialog).toEqual({ kind: "prompt", message: "Name?", defaultText: "nobody" });
  await session.settle(() => session.answerDialog({ accept: true, text: "Ada" }), never);
  expect(await readText(session)).toContain("Ada");
  await expect(session.answerDialog({ accept: true })).rejects.toThrow("No dialog is open");
});

it("dismisses a dialog when another action is taken", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  const { handle } = await session.observe(never).then((seen) => session.pin(findNode(seen, "Other").ref ?? ""));
  const mark = session.mark();
  await click(session, "Confirm");
  await session.settle(async () => (await handle.toHandle()).click(), never);
  expect(session.since(mark).dialogs).toMatchObject([{ answer: "dismissed" }]);
  expect(await readText(session)).toContain("other");

  await click(session, "Confirm");
  await session.goto(`${site.url}/`, never);
  expect(session.since(mark).dialogs).toMatchObject([{ answer: "dismissed" }, { answer: "dismissed" }]);
});

it("handles one dialog after another", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Twice");
  expect(session.dialog?.message).toBe("one");
  await session.settle(() => session.answerDialog({ accept: true }), never);
  expect(session.dialog?.message).toBe("two");
  await session.settle(() => session.answerDialog({ accept: true }), never);
  expect(await readText(session)).toContain("both");
});

it("handles a dialog that opens before the page has loaded", async () => {
  const session = await openSession(pool, [site]);
  expect(await session.goto(`${site.url}/loud`, never)).toBe(200);
  expect(await session.observe(never)).toMatchObject({ url: `${site.url}/loud`, dialog: { message: "hello" } });
  await session.settle(() => session.answerDialog({ accept: true }), never);
  expect(await readText(session)).toContain("after");
});

it("leaves a page that tries to keep the run", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/`, never);
  await click(session, "Stay");
  const mark = session.mark();
  expect(await session.goto(`${site.url}/elsewhere`, never)).toBe(200);
  expect(session.since(mark).dialogs).toEqual([]);
});

it("ends the run on a page with endless dialogs", async () => {
  const session = await openSession(pool, [site]);
  await session.goto(`${site.url}/endless`, never);
  await click(session, "Endless");
  const answering = async () => {
    for (;;) {
      if (session.dialog !== null) await session.settle(() => session.answerDialog({ accept: true }), never);
      await session.observe(never);
    }
  };
  // Which of the two it is depends on how much of the processor the page got.
  await expect(answering()).rejects.toThrow(/no longer responds|did not respond/);
  expect(session.since(0 as never).dialogs).toHaveLength(5);
});
