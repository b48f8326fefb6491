import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { never, type Site, serve, until } from "../../_harness/browser-session.ts";
import { arrive, openLive, press, strike, untilText } from "../../_harness/live-browser.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

/** Fixed positions for the tests: one element every 50 pixels, 200 wide and 40 high. */
const STYLE = `<meta charset="utf-8"><style>
  body { margin: 0 } body > * { position: absolute; left: 0; width: 200px; height: 40px; box-sizing: border-box; margin: 0 }
  ${[...Array(8).keys()].map((n) => `body > :nth-of-type(${n + 1}) { top: ${n * 50}px }`).join(" ")}
</style>`;

const ECHO = `${STYLE}<title>Echo</title>
  <input aria-label="First" oninput="out.value = 'first:' + value" onkeydown="log.value += key(event)">
  <input aria-label="Second" oninput="out.value = 'second:' + value">
  <input type="password" placeholder="Your password">
  <output id="out" style="top: 200px"></output>
  <output id="log" style="top: 250px"></output>
  <script>const key = ({ key, ctrlKey }) => "[" + (ctrlKey ? "Ctrl+" : "") + key + "]"</script>`;

const CODE = `<meta charset="utf-8"><title>Code</title>
  <form>${'<input inputmode="numeric" maxlength="1" size="1">'.repeat(6)}</form><p></p>
  <script>
    const boxes = [...document.querySelectorAll("input")];
    const show = () => { document.querySelector("p").textContent = "code " + boxes.map((box) => box.value).join(""); };
    boxes.forEach((box, n) => {
      box.addEventListener("keydown", (event) => {
        if (!/^\\d$/.test(event.key)) return;
        event.preventDefault();
        box.value = event.key;
        boxes[n + 1]?.focus();
        show();
      });
      box.addEventListener("paste", (event) => {
        event.preventDefault();
        [...event.clipboardData.getData("text")].forEach((digit, index) => { boxes[index].value = digit; });
        show();
      });
    });
    boxes[0].focus();
  </script>`;

let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": ECHO,
    "/code": CODE,
    "/framed": `<title>Framed</title><iframe src="/code" style="border: 0; width: 400px; height: 200px"></iframe>`,
    "/shadow": `<meta charset="utf-8"><title>Shadow</title><div></div><script>
      const root = document.querySelector("div").attachShadow({ mode: "closed" });
      root.innerHTML = "<input aria-label='Inner'><input aria-label='Next' type='email'><p></p>";
      root.querySelector("input").focus();
      root.addEventListener("input", ({ target }) => { root.querySelector("p").textContent = "inner " + target.value; });
    </script>`,
  });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

it("types characters of any script and shows them", async () => {
  const live = await openLive(pool, [site], `${site.url}/`);
  await arrive(live, "Echo");
  await until(() => live.frames.length > 0);
  press(live, 100, 20);
  for (const key of ["a", "é", "ß", "@"]) strike(live, key);
  live.input({ type: "text", text: "你好" });
  live.input({ type: "text", text: "ñ" });
  strike(live, "😀", { code: "" });
  await untilText(live, "first:aéß@你好ñ😀");
  const shown = live.frames.length;
  strike(live, "z");
  await until(() => live.frames.length > shown);
  const newest = live.frames.at(-1);
  expect(newest).toMatchObject({ width: 800, height: 600 });
  expect(newest?.jpeg.subarray(0, 2).toString("hex")).toBe("ffd8");
  expect(live.frames[0]?.jpeg.equals(newest?.jpeg ?? Buffer.of())).toBe(false);
});

it("handles named keys and shortcuts like a browser, including Command", async () => {
  const live = await openLive(pool, [site], `${site.url}/`);
  await arrive(live, "Echo");
  press(live, 100, 20);
  for (const key of "abc") strike(live, key);
  strike(live, "ArrowLeft");
  strike(live, "Backspace");
  await untilText(live, "first:ac");
  strike(live, "a", { modifiers: 2 });
  strike(live, "x");
  await untilText(live, "first:x");
  strike(live, "a", { modifiers: 4 });
  strike(live, "Delete");
  strike(live, "y");
  await untilText(live, "first:y");
  expect((await live.view(never)).text).toContain("[Ctrl+a][Delete][y]");
  // AltGr combinations type a character.
  strike(live, "€", { code: "KeyE", modifiers: 3 });
  await untilText(live, "first:y€");
  strike(live, "Tab");
  strike(live, "2", { code: "Digit2" });
  await untilText(live, "second:2");
});

it("reports which field has focus, never its value", async () => {
  const live = await openLive(pool, [site], `${site.url}/`);
  await arrive(live, "Echo");
  expect(live.field()).toBeNull();
  press(live, 100, 20);
  await until(() => live.field() !== null);
  expect(live.field()).toEqual({ kind: "text", label: "First" });
  press(live, 100, 120);
  await until(() => live.field()?.kind === "password");
  for (const key of "secret") strike(live, key);
  strike(live, "Tab", { modifiers: 8 });
  await until(() => live.field()?.label === "Second");
  press(live, 500, 500);
  await until(() => live.field() === null);
});

it("fills the boxes of a one-time code by typing and by pasting, also in a frame", async () => {
  const live = await openLive(pool, [site], `${site.url}/code`);
  await until(() => live.field()?.kind === "numeric");
  for (const text of "123456") live.input({ type: "text", text });
  await untilText(live, "code 123456");
  live.input({ type: "paste", text: "987654" });
  await untilText(live, "code 987654");

  const framed = await openLive(pool, [site], `${site.url}/framed`);
  await until(() => framed.field()?.kind === "numeric");
  framed.input({ type: "paste", text: "246810" });
  await untilText(framed, "code 246810");
});

it("pastes into fields in closed shadow roots without the trailing newline, and follows focus there", async () => {
  const live = await openLive(pool, [site], `${site.url}/shadow`);
  await until(() => live.field()?.label === "Inner");
  live.input({ type: "paste", text: "pasted wörds\n" });
  await untilText(live, "inner pasted wörds");
  strike(live, "Tab");
  await until(() => live.field()?.label === "Next");
  expect(live.field()?.kind).toBe("email");
});
