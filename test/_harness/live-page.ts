import type { BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { type LoopbackServer, signUp, startLoopbackServer, type TestBrowser } from "./browser.ts";
import { authorizePath, newEmail, registerClient } from "./oauth-flow.ts";
import type { TestService } from "./service.ts";

/** A site that reports everything that happens on it to its server. */
export interface TalkingSite extends LoopbackServer {
  /** The reports, oldest first. */
  told: string[];
}

const TELL = `const tell = (text) => navigator.sendBeacon("/tell", text);
for (const field of document.querySelectorAll("input, select, textarea"))
  field.addEventListener("input", () => tell(field.id + "=" + field.value));
addEventListener("scroll", () => tell("scrolled"), { once: true });`;

/** Each page is HTML; `tell("…")` in its scripts sends a report to the server, and every field reports its content. */
export async function startTalkingSite(pages: Record<string, string>): Promise<TalkingSite> {
  const told: string[] = [];
  const server = await startLoopbackServer(async (request, response) => {
    if (request.method === "POST") {
      told.push((await request.toArray()).join(""));
      return response.end();
    }
    const page = pages[request.url ?? ""];
    response.statusCode = page === undefined ? 404 : 200;
    response.setHeader("content-type", "text/html; charset=utf-8");
    return response.end(
      `<!doctype html><meta name="viewport" content="width=device-width"><style>body { margin: 0 }</style>${page ?? "nothing"}<script>${TELL}</script>`,
    );
  });
  return { ...server, told };
}

export interface LiveVisit extends AsyncDisposable {
  page: Page;
  complaints: string[];
}

/** A new user, through sign-up and consent to the live page for this URL. */
export async function openLivePage(
  service: TestService,
  browser: TestBrowser,
  { signInUrl, redirectUri }: { signInUrl: string; redirectUri: string },
  options: BrowserContextOptions = {},
): Promise<LiveVisit> {
  const { id } = await registerClient(service, { name: "Larder", signInUrl, homeUrl: new URL("/", signInUrl).href });
  const visit = await browser.openPage(options);
  await visit.page.goto(service.url + authorizePath(id, { redirect_uri: redirectUri }));
  await signUp(visit.page, newEmail());
  await visit.page.getByRole("button", { name: "Allow" }).click();
  return visit;
}

/** The color of the picture at a position of the site, in its CSS pixels. */
export function colourAt(page: Page, x: number, y: number): Promise<number[]> {
  return page.locator("#picture").evaluate(
    (canvas, place) => {
      if (!(canvas instanceof HTMLCanvasElement)) throw new Error("there is no picture");
      const scale = canvas.width / Number.parseFloat(canvas.style.width);
      // On a separate canvas: reading from one often makes drawing on it slow.
      const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      pixel?.drawImage(canvas, -place.x * scale, -place.y * scale);
      return [...(pixel?.getImageData(0, 0, 1, 1).data ?? [])].slice(0, 3);
    },
    { x, y },
  );
}

/** Waits until the picture has about this color there: a JPEG is not exact. */
export async function waitForColour(page: Page, place: [x: number, y: number], colour: number[]): Promise<void> {
  await expect
    .poll(
      async () => (await colourAt(page, ...place)).every((value, index) => Math.abs(value - (colour[index] ?? 0)) < 16),
      { timeout: 100_000 },
    )
    .toBe(true);
}

/** Clicks at a position of the site. */
export async function clickSite(page: Page, x: number, y: number): Promise<void> {
  await page.locator("#picture").click({ position: { x, y } });
}
