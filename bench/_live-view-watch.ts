import type { Page } from "playwright-core";
import { PATCH } from "./_live-view-site.ts";

/** What the watching scripts leave in a page. */
interface Watch {
  startedMs: number;
  /** Told how long it took from the key to the picture with its change, once that has been painted. */
  onChanged: ((ms: number) => void) | null;
}

declare global {
  interface Window {
    benchWatch?: Watch;
  }
}

/** In the live page: from a key to the first picture on the canvas in which the patch has turned over. */
export async function watchPicture(page: Page): Promise<void> {
  await page.addInitScript(installWatch);
  await page.addInitScript(({ x, y }) => {
    const pixel = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const draw = CanvasRenderingContext2D.prototype.drawImage as (...parameters: unknown[]) => void;
    let wasDark: boolean | null = null;
    CanvasRenderingContext2D.prototype.drawImage = function drawAndLook(...parameters: unknown[]) {
      draw.apply(this, parameters);
      pixel?.drawImage(this.canvas, -x, -y);
      const isDark = (pixel?.getImageData(0, 0, 1, 1).data[0] ?? 0) < 128;
      if (wasDark !== null && wasDark !== isDark) dispatchEvent(new Event("bench-changed"));
      wasDark = isDark;
    };
  }, PATCH);
}

/** In the page by itself: from a key to the paint that follows what its own script has changed. */
export async function watchKeys(page: Page): Promise<void> {
  await page.addInitScript(installWatch);
  await page.addInitScript(() => {
    addEventListener("keydown", () => dispatchEvent(new Event("bench-changed")));
  });
}

function installWatch(): void {
  const watch: Watch = { startedMs: 0, onChanged: null };
  window.benchWatch = watch;
  addEventListener(
    "keydown",
    () => {
      watch.startedMs = performance.now();
    },
    { capture: true },
  );
  // A message that is posted in a frame's callback arrives when the frame has been painted.
  addEventListener("bench-changed", () =>
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => watch.onChanged?.(performance.now() - watch.startedMs);
      port2.postMessage(null);
    }),
  );
}

/** Presses a key and says after how many milliseconds its change was to be seen. */
export async function timePress(page: Page): Promise<number> {
  const changed = page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        if (window.benchWatch === undefined) return reject(new Error("the page is not watched"));
        window.benchWatch.onChanged = resolve;
        setTimeout(() => reject(new Error("nothing changed within 10 s")), 10_000);
        return undefined;
      }),
  );
  const [ms] = await Promise.all([changed, page.keyboard.press("a")]);
  return ms;
}

export interface FrameCounter {
  /** Since the last time it was asked. */
  take(): { frames: number; bytes: number };
}

/** Pictures are the binary messages of the page's socket. */
export function countFrames(page: Page): FrameCounter {
  let counted = { frames: 0, bytes: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      if (typeof payload === "string") return;
      counted.frames += 1;
      counted.bytes += payload.length;
    }),
  );
  return {
    take() {
      const taken = counted;
      counted = { frames: 0, bytes: 0 };
      return taken;
    },
  };
}
