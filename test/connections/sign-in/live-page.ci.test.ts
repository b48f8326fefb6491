import type { Socket } from "node:net";
import type { BrowserContextOptions, Page, WebSocketRoute } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ServiceMessage } from "../../../src/contract/live-view.ts";
import {
  type CallbackServer,
  startCallbackServer,
  startTestBrowser,
  type TestBrowser,
} from "../../_harness/browser.ts";
import {
  clickSite,
  type LiveVisit,
  openLivePage,
  startTalkingSite,
  type TalkingSite,
  waitForColour,
} from "../../_harness/live-page.ts";
import { startLiveService } from "../../_harness/live-sign-in.ts";
import type { TestService } from "../../_harness/service.ts";

const RED = [255, 0, 0];
const GREEN = [0, 128, 0];
const BLUE = [0, 0, 255];

/** Nothing listens on this port. */
const UNREACHABLE = "127.0.0.1:9";

/** Absolute positions, so that a test knows where to click. */
const at = (x: number, y: number, width = 200, height = 40) =>
  `style="position:absolute;box-sizing:border-box;margin:0;border:0;left:${x}px;top:${y}px;width:${width}px;height:${height}px"`;

const PAGES = {
  "/": `<title>Sign in to the corner shop</title>
<div ${at(0, 0, 100, 100)} id="corner"></div><style>#corner { background: red }</style>
<input id="name" aria-label="Your name" ${at(20, 120)}><input id="word" type="password" aria-label="Your password" ${at(20, 180)}>
<button ${at(20, 240)} onclick="document.getElementById('corner').style.background='green'; tell('pressed')">Press</button>
<button ${at(20, 300)} onclick="tell('answered ' + confirm('Really?'))">Ask</button>
<button ${at(20, 360)} onclick="window.open('/popup')">Popup</button>
<select id="size" ${at(20, 420)}><option>small<option>large</select>
<div style="height:3000px"></div>`,
  "/popup": `<style>body { background: blue }</style>`,
  "/asks-without-end": `<script>for (;;) alert("Again")</script>`,
};

describe("the live page", () => {
  let service: TestService;
  let browser: TestBrowser;
  let site: TalkingSite;
  let callbacks: CallbackServer;
  let sockets: Socket[];

  beforeAll(async () => {
    site = await startTalkingSite(PAGES);
    [service, browser, callbacks] = await Promise.all([
      startLiveService([new URL(site.url).host, UNREACHABLE]),
      startTestBrowser(),
      startCallbackServer(),
    ]);
    sockets = [];
    service.service.app.server.on("upgrade", (_request, socket) => sockets.push(socket as Socket));
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
    await site[Symbol.asyncDispose]();
    await callbacks[Symbol.asyncDispose]();
  });

  function openPage(signInUrl: string, options: BrowserContextOptions = {}): Promise<LiveVisit> {
    return openLivePage(service, browser, { signInUrl, redirectUri: callbacks.redirectUri }, options);
  }

  async function expectTold(what: string): Promise<void> {
    await expect.poll(() => site.told, { timeout: 100_000 }).toContain(what);
    site.told.length = 0;
  }

  describe("with mouse and keyboard", () => {
    let visit: LiveVisit;

    beforeAll(async () => {
      visit = await openPage(`${site.url}/`, {
        permissions: ["clipboard-read", "clipboard-write"],
      });
    });
    afterAll(async () => {
      await visit[Symbol.asyncDispose]();
    });

    it("shows the site and its host", async () => {
      const { page } = visit;
      await waitForColour(page, [50, 50], RED);
      expect(await page.locator("#host").textContent()).toBe(new URL(site.url).host);
      expect(await page.getByText("Not secure").isVisible()).toBe(true);
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("for Larder");
      await expect.poll(() => page.locator("#announcements").textContent()).toBe("Page: Sign in to the corner shop");
    });

    it("forwards a click to the right position and shows the result", async () => {
      await clickSite(visit.page, 50, 260);
      await expectTold("pressed");
      await waitForColour(visit.page, [50, 50], GREEN);
    });

    it("types into the site: letters, capitals and characters of other layouts, and deletes them", async () => {
      const { page } = visit;
      await clickSite(page, 50, 140);
      await page.keyboard.type("aB1 é");
      await expectTold("name=aB1 é");
      const devTools = await page.context().newCDPSession(page);
      for (const type of ["keyDown", "keyUp"] as const) {
        await devTools.send("Input.dispatchKeyEvent", {
          type,
          key: "ß",
          code: "Minus",
          ...(type === "keyDown" ? { text: "ß" } : {}),
        });
      }
      await expectTold("name=aB1 éß");
      await page.keyboard.press("Backspace");
      await expectTold("name=aB1 é");
      await page.keyboard.press("Control+A");
      await page.keyboard.type("z");
      await expectTold("name=z");
    });

    it("types AltGr characters instead of treating them as shortcuts", async () => {
      const devTools = await visit.page.context().newCDPSession(visit.page);
      // As Windows reports it: Control and Alt are down.
      await devTools.send("Input.dispatchKeyEvent", {
        type: "keyDown",
        key: "@",
        code: "KeyQ",
        modifiers: 3,
        text: "@",
      });
      await devTools.send("Input.dispatchKeyEvent", { type: "keyUp", key: "@", code: "KeyQ", modifiers: 3 });
      await expectTold("name=z@");
    });

    it("sends the final text of an input method, not its intermediate compositions", async () => {
      const devTools = await visit.page.context().newCDPSession(visit.page);
      for (const text of ["に", "にほ", "にほん"]) {
        await devTools.send("Input.imeSetComposition", {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
      }
      await devTools.send("Input.insertText", { text: "日本" });
      await expectTold("name=z@日本");
      expect(site.told.join()).not.toContain("に");
    });

    it("pastes", async () => {
      await visit.page.evaluate(() => navigator.clipboard.writeText("from elsewhere"));
      await visit.page.keyboard.press("Control+A");
      await visit.page.keyboard.press("Control+V");
      await expectTold("name=from elsewhere");
    });

    it("sends Tab to the site, releases the keyboard after Escape twice, and keeps nothing that was typed", async () => {
      const { page } = visit;
      await page.keyboard.press("Tab");
      await page.keyboard.type("s3cret");
      await expectTold("word=s3cret");
      await expect.poll(() => page.locator("#announcements").textContent()).toBe("Password field: Your password");
      expect(await page.content()).not.toContain("s3cret");
      expect(await page.locator("#keys").inputValue()).toBe("");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("confirm");
    });

    it("forwards the mouse wheel", async () => {
      await visit.page.mouse.move(400, 400);
      await visit.page.mouse.wheel(0, 40);
      await expectTold("scrolled");
      await visit.page.mouse.wheel(0, -400);
    });

    it("shows the site's dialogs and names the site in them", async () => {
      const { page } = visit;
      await clickSite(page, 50, 320);
      const dialog = page.getByRole("dialog", { name: `${new URL(site.url).host} says` });
      await dialog.getByText("Really?").waitFor();
      await dialog.getByRole("button", { name: "OK" }).click();
      await expectTold("answered true");
      await clickSite(page, 50, 320);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await expectTold("answered false");
    });

    it("offers the options of a native select", async () => {
      await clickSite(visit.page, 50, 440);
      await visit.page.getByRole("dialog").getByRole("button", { name: "large" }).click();
      await expectTold("size=large");
    });

    it("follows a popup, shows its tab, and comes back when it is closed", async () => {
      const { page } = visit;
      await clickSite(page, 50, 380);
      await waitForColour(page, [50, 50], BLUE);
      expect(await page.locator("#path").textContent()).toBe("/popup");
      expect(await page.getByRole("button", { name: "Sign in to the corner shop", exact: true }).isVisible()).toBe(
        true,
      );
      await page.getByRole("button", { name: `Close ${new URL(site.url).host}` }).click();
      await waitForColour(page, [50, 50], GREEN);
      await expect.poll(() => page.locator("#tabs").isHidden()).toBe(true);
    });

    it("reconnects by itself when the connection drops", async () => {
      const { page } = visit;
      sockets.at(-1)?.destroy();
      await page.getByRole("heading", { name: "Reconnecting…" }).waitFor();
      await page.getByRole("heading", { name: "Reconnecting…" }).waitFor({ state: "hidden" });
      await clickSite(page, 50, 260);
      await expectTold("pressed");
    });

    it("says when it was opened in another tab, and can take over again", async () => {
      const { page } = visit;
      const other = await page.context().newPage();
      await other.goto(page.url());
      await page.getByText("It was opened in another tab or window.").waitFor();
      await waitForColour(other, [50, 50], GREEN);
      await other.close();
      await page.getByRole("button", { name: "Use it here" }).click();
      await waitForColour(page, [50, 50], GREEN);
    });

    it("shows restarts, resolved problems and the end of the sign-in", async () => {
      const page = await visit.page.context().newPage();
      const opened = Promise.withResolvers<WebSocketRoute>();
      await page.routeWebSocket(/live/, opened.resolve);
      await page.goto(visit.page.url());
      const line = await opened.promise;
      const tell = (message: ServiceMessage) => line.send(JSON.stringify(message));
      tell({ type: "phase", phase: "signing_in" });
      tell({ type: "phase", phase: "not_signed_in", message: "Not signed in yet." });
      const status = page.locator("#status");
      await expect.poll(() => status.getAttribute("class")).toContain("is-problem");
      await page.locator("#keys").press("a");
      expect(await status.getAttribute("class")).not.toContain("is-problem");
      expect(await page.getByText("Not signed in yet.").isVisible()).toBe(true);
      tell({ type: "phase", phase: "opening" });
      await page.getByText("the sign-in starts over").waitFor();
      await page.locator("#status-spinner").waitFor();
      tell({ type: "over", to: "/", message: "This sign-in has ended." });
      await page.getByRole("link", { name: "Close" }).waitFor();
      expect(await page.locator("#status-spinner").isHidden()).toBe(true);
      await page.close();
    });

    it("causes no browser errors and logs nothing that was typed", () => {
      expect(visit.complaints).toEqual([]);
      for (const typed of ["s3cret", "from elsewhere", "日本"]) expect(service.log.join()).not.toContain(typed);
    });
  });

  it("works on a phone in dark mode: fits the screen width, and a field opens the keyboard", async () => {
    await using visit = await openPage(`${site.url}/`, {
      viewport: { width: 360, height: 740 },
      isMobile: true,
      hasTouch: true,
      deviceScaleFactor: 2,
      colorScheme: "dark",
    });
    const { page } = visit;
    await waitForColour(page, [50, 50], RED);
    expect(await page.locator("#picture").evaluate((canvas) => (canvas as HTMLElement).style.width)).toBe("360px");
    await page.locator("#picture").tap({ position: { x: 50, y: 200 } });
    await expect.poll(() => page.locator("#keys").getAttribute("inputmode")).toBe("text");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("keys");
    await page.keyboard.insertText("swiped");
    await expectTold("word=swiped");
    await composeOnGlass(page, ["a", "am", "ame", "an"]);
    await expectTold("word=swipedan");
    // The privacy promise stays, also while typing.
    expect(await page.locator("#promise").isVisible()).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(visit.complaints).toEqual([]);
  });

  it("says why a site cannot be shown, and offers to reload", async () => {
    await using visit = await openPage(`http://${UNREACHABLE}/`);
    await visit.page.getByRole("heading", { name: "The page could not be opened" }).waitFor();
    expect(await visit.page.getByRole("button", { name: "Reload", exact: true }).isVisible()).toBe(true);
    const before = callbacks.arrived.length;
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    await visit.page.waitForURL(/error=access_denied/);
    expect(callbacks.arrived.length - before).toBe(1);
  });

  it("offers a way out of an endless series of dialogs, and shows who is signed in", async () => {
    await using visit = await openPage(`${site.url}/asks-without-end`);
    const { page } = visit;
    const wayOut = page.getByRole("button", { name: "End this sign-in" });
    await page.getByRole("button", { name: "OK" }).waitFor();
    expect(await wayOut.isHidden()).toBe(true);
    expect(await page.locator("#help").textContent()).toMatch(/You are signed in to Errand as \S+@\S+\./);
    await page.getByRole("button", { name: "OK" }).click();
    await wayOut.click();
    await page.waitForURL(/error=access_denied/);
  });

  it("says that it needs JavaScript, and can be canceled without it", async () => {
    await using visit = await openPage(`${site.url}/`, { javaScriptEnabled: false });
    await visit.page.getByRole("heading", { name: "This page needs JavaScript" }).waitFor();
    await visit.page.getByRole("button", { name: "Cancel" }).click();
    await visit.page.waitForURL(/error=access_denied/);
  });
});

/** Imitates an on-screen keyboard: unidentified keys, and a composition that grows and is corrected. */
async function composeOnGlass(page: Page, steps: string[]): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  for (const text of steps) {
    await devTools.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key: "Unidentified",
      windowsVirtualKeyCode: 229,
    });
    await devTools.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  }
}
