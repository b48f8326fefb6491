import { afterAll, beforeAll, expect, it } from "vitest";
import type { BrowserPool } from "../../../src/browser/pool/browser-pool.ts";
import { never, type Site, serve, until } from "../../_harness/browser-session.ts";
import { arrive, openLive, press, strike, untilText, type WatchedBrowser } from "../../_harness/live-browser.ts";
import { openSharedPool } from "../../_harness/shared-browsers.ts";

const AREA = `<title>Area</title><body style="margin: 0; height: 3000px"><p id="at" style="position: fixed; top: 0">nowhere</p><script>
  const say = (text) => { document.querySelector("p").textContent = text; };
  onclick = ({ clientX, clientY, detail, shiftKey }) => say(["click", clientX, clientY, detail, shiftKey].join(" "));
  oncontextmenu = (event) => { event.preventDefault(); say("menu " + event.clientX); };
  onscroll = () => say("scrolled " + Math.round(scrollY));
  onresize = () => say("size " + innerWidth + " " + innerHeight);
  ontouchend = ({ changedTouches: [touch] }) => { document.title = "touched " + Math.round(touch.clientX); };
</script>`;

const SELECT = `<title>Select</title><body style="margin: 0">
  <select aria-label="Country" style="width: 200px; height: 40px" onchange="out.value = 'chosen ' + value + ' ' + seen"
    oninput="seen = 'input'"><option>Austria</option><option disabled>Belgium</option><option>Chile</option></select>
  <output id="out"></output><script>let seen = "";</script>`;

/** How many times a page has started its endless loop. */
let spins = 0;
let pool: BrowserPool;
let site: Site;

beforeAll(async () => {
  site = await serve({
    "/": AREA,
    "/mobile": `<meta name="viewport" content="width=device-width">${AREA}`,
    "/moved": `<title>Moved</title><div style="position: fixed; left: 450px; top: 50px; width: 100px; height: 100px; background: red"></div>`,
    "/moving": `<title>Moving</title><div style="position: fixed; left: 450px; top: 50px; width: 100px; height: 100px; background: red"></div>
      <script>
        let round = 0;
        onclick = () => {
          let step = 0;
          const move = () => {
            document.querySelector("div").style.left = step * 10 + "px";
            if (step++ < 45) requestAnimationFrame(move);
            else document.title = "Moved " + round++;
          };
          move();
        };
      </script>`,
    "/select": SELECT,
    "/opener": `<title>Opener</title><body style="margin: 0" onclick="window.open('/popup', 'popup', 'width=300,height=200')">
      <p>waiting</p><script>onmessage = ({ data }) => { document.querySelector("p").textContent = data; };</script>`,
    "/popup": `<title>Popup</title><body onclick="opener.postMessage('signed in', '*'); window.close()">`,
    "/many": `<title>Many</title><body onclick="window.open('/many', '_blank'); document.title = 'Opened'">`,
    "/dialog": `<title>Dialog</title><body onclick="out.value = 'answered ' + prompt('Who?', 'nobody')"><output id="out"></output>`,
    "/homemade": `<title>Homemade</title>
      <body onclick="window.open(window.URL.createObjectURL(new Blob(['<p>Your bank</p>'], { type: 'text/html' })))">`,
    "/busy": `<title>Busy</title><body onclick="navigator.sendBeacon('/spins'); for (;;);">`,
    "/spins": (_request, response) => {
      spins += 1;
      response.end();
    },
  });
  pool = await openSharedPool();
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function open(path: string, options: Parameters<typeof openLive>[3] = {}): Promise<WatchedBrowser> {
  return openLive(pool, [site], `${site.url}${path}`, options);
}

it("forwards clicks with modifiers and other buttons, and scrolls", async () => {
  const live = await open("/");
  await arrive(live, "Area");
  press(live, 321, 123);
  await untilText(live, "click 321 123 1 false");
  const at = { type: "pointer", x: 40, y: 50, modifiers: 8 } as const;
  for (const clicks of [1, 2]) {
    live.input({ ...at, kind: "down", button: "left", buttons: 1, clicks });
    live.input({ ...at, kind: "up", button: "left", buttons: 0, clicks });
  }
  await untilText(live, "click 40 50 2 true");
  live.input({ ...at, kind: "down", button: "right", buttons: 2, clicks: 1 });
  live.input({ ...at, kind: "up", button: "right", buttons: 0, clicks: 1 });
  await untilText(live, "menu 40");
  for (let turn = 0; turn < 5; turn++) live.input({ type: "wheel", x: 400, y: 300, dx: 0, dy: 100, modifiers: 0 });
  await untilText(live, "scrolled 500");
});

it("resizes the page and its frames with the window", async () => {
  const live = await open("/");
  await arrive(live, "Area");
  for (let width = 300; width <= 501; width++) live.input({ type: "resize", width, height: 400 });
  await untilText(live, "size 500 400");
  await until(() => live.frames.at(-1)?.width === 500 && live.frames.at(-1)?.height === 400);
  expect(sizeOf(live.frames.at(-1)?.jpeg)).toEqual([500, 400]);
});

it("sends a last frame that shows the page's final state after many changes", async () => {
  const moved = await open("/moved");
  await arrive(moved, "Moved");
  const live = await open("/moving");
  await arrive(live, "Moving");
  await until(() => moved.frames.length > 0);
  for (let round = 0; round < 3; round++) {
    press(live, 700, 500);
    await arrive(live, `Moved ${round}`);
    await until(() => isShowing(live, moved));
  }
});

function isShowing(live: WatchedBrowser, other: WatchedBrowser): boolean {
  const [shown, wanted] = [live, other].map(({ frames }) => frames.at(-1)?.jpeg);
  return shown !== undefined && wanted !== undefined && shown.equals(wanted);
}

it("emulates a phone on touch devices: taps and swipes", async () => {
  const live = await open("/mobile", { isTouch: true, viewport: { width: 390, height: 700 } });
  await arrive(live, "Area");
  await until(() => live.frames.length > 0);
  expect(live.frames.at(-1)).toMatchObject({ width: 390, height: 700 });
  expect(sizeOf(live.frames.at(-1)?.jpeg)).toEqual([390, 700]);
  const touch = { type: "touch", modifiers: 0 } as const;
  live.input({ ...touch, kind: "start", points: [{ id: 0, x: 150, y: 250 }] });
  live.input({ ...touch, kind: "end", points: [] });
  await untilText(live, "click 150 250");
  await until(() => live.page()?.title === "touched 150");
  live.input({ ...touch, kind: "start", points: [{ id: 0, x: 200, y: 600 }] });
  for (let y = 580; y >= 300; y -= 20) live.input({ ...touch, kind: "move", points: [{ id: 0, x: 200, y }] });
  live.input({ ...touch, kind: "end", points: [] });
  await untilText(live, "scrolled");
});

it("follows a popup and comes back when it closes", async () => {
  const live = await open("/opener");
  await arrive(live, "Opener");
  press(live, 100, 100);
  await arrive(live, "Popup");
  expect(live.page()).toMatchObject({ url: `${site.url}/popup`, tabs: [{ isCurrent: false }, { isCurrent: true }] });
  const shown = live.frames.length;
  press(live, 100, 100);
  await untilText(live, "signed in");
  await arrive(live, "Opener");
  expect(live.page()?.tabs).toHaveLength(1);
  await until(() => live.frames.length > shown);
});

it("switches between tabs and limits their number", async () => {
  const live = await open("/many");
  for (let count = 1; count < 8; count++) {
    await until(() => live.page()?.tabs.length === count);
    await arrive(live, "Many");
    press(live, 100, 100);
  }
  await until(() => live.page()?.tabs.length === 8);
  await arrive(live, "Many");
  press(live, 100, 100);
  await arrive(live, "Opened");
  expect(live.page()?.tabs).toHaveLength(8);
  const [first, ...others] = live.page()?.tabs ?? [];
  live.input({ type: "choose_tab", id: first?.id ?? "" });
  await until(() => live.page()?.tabs[0]?.isCurrent === true);
  for (const { id } of others) live.input({ type: "close_tab", id });
  await until(() => live.page()?.tabs.length === 1);
  // Closing the last tab opens a new one at the initial URL.
  live.input({ type: "close_tab", id: first?.id ?? "" });
  await arrive(live, "Many");
  expect(live.page()?.tabs).toMatchObject([{ isCurrent: true }]);
});

it("forwards dialogs to the user and accepts the reply while the page is blocked", async () => {
  const live = await open("/dialog");
  await arrive(live, "Dialog");
  press(live, 100, 100);
  await until(() => live.dialog() !== null);
  expect(live.dialog()).toEqual({ kind: "prompt", message: "Who?", defaultText: "nobody" });
  press(live, 100, 100);
  strike(live, "x");
  await expect(live.view(never)).rejects.toThrow("shows a dialog");
  live.input({ type: "answer_dialog", accept: true, text: "somebody" });
  await until(() => live.dialog() === null);
  await untilText(live, "answered somebody");
});

it("offers the options of a native select, opened by mouse or keyboard", async () => {
  const live = await open("/select");
  await arrive(live, "Select");
  press(live, 100, 20);
  await until(() => live.choices() !== null);
  expect(live.choices()).toEqual({
    label: "Country",
    options: [
      { label: "Austria", isChosen: true, isDisabled: false },
      { label: "Belgium", isChosen: false, isDisabled: true },
      { label: "Chile", isChosen: false, isDisabled: false },
    ],
  });
  live.input({ type: "choose", index: 2 });
  await untilText(live, "chosen Chile input");
  await until(() => live.choices() === null);
  strike(live, " ", { code: "Space" });
  await until(() => live.choices() !== null);
  live.input({ type: "choose", index: 1 });
  live.input({ type: "choose", index: null });
  strike(live, "ArrowUp");
  await untilText(live, "chosen Austria");
});

it("closes a tab whose page no longer responds", async () => {
  const live = await open("/busy");
  await arrive(live, "Busy");
  for (let n = 0; n < 3; n++) press(live, 100, 100);
  const [busy] = live.page()?.tabs ?? [];
  live.input({ type: "close_tab", id: busy?.id ?? "" });
  await until(() => live.page()?.tabs[0]?.id !== busy?.id);
  await arrive(live, "Busy");
});

it("replaces a blocked page with a new tab when it is reloaded, once for many reloads", async () => {
  const live = await open("/busy");
  await arrive(live, "Busy");
  const before = spins;
  press(live, 100, 100);
  await until(() => spins > before);
  const [busy] = live.page()?.tabs ?? [];
  for (let n = 0; n < 3; n++) live.input({ type: "reload" });
  await until(() => live.page()?.tabs.length === 1 && live.page()?.tabs[0]?.id !== busy?.id);
  await arrive(live, "Busy");
  expect(live.page()?.tabs.map(({ id }) => id)).toEqual(["t2"]);
});

it("reports no text for a popup without a URL of its own", async () => {
  const live = await open("/homemade");
  await arrive(live, "Homemade");
  press(live, 100, 100);
  await until(() => live.page()?.tabs.length === 2 && live.page()?.url === "about:blank");
  await expect(live.view(never)).resolves.toMatchObject({ text: "" });
});

/** Width and height from the JPEG header. */
function sizeOf(jpeg: Buffer = Buffer.of()): [width: number, height: number] {
  for (let at = 2; at < jpeg.length; at += 2 + jpeg.readUInt16BE(at + 2)) {
    if ([0xc0, 0xc2].includes(jpeg.readUInt8(at + 1))) return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)];
  }
  throw new Error("this is no picture");
}
