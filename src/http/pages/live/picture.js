// @ts-check

/** As in `FRAME_HEADER_BYTES`: four bytes number, two width, two height. */
const HEADER_BYTES = 8;
const SAMPLE_WIDTH = 160;
const SAMPLE_HEIGHT = 100;

/** @typedef {{ number: number, width: number, height: number, jpeg: Blob }} Frame */

/** Draws the frames of the site on a canvas. */
export class Picture {
  #canvas;
  #context;
  #onDrawn;
  #isFitted;
  /** @type {Frame | null} */
  #newest = null;
  #isDrawing = false;
  /** The size of the site's viewport in its CSS pixels. */
  #site = { width: 1, height: 1 };

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(number: number) => void} onDrawn
   * @param {{ isFitted: boolean }} options Fitted: in the shape of the site's window, however much room there is.
   */
  constructor(canvas, onDrawn, { isFitted } = { isFitted: false }) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("This browser has no canvas");
    this.#canvas = canvas;
    this.#context = context;
    this.#onDrawn = onDrawn;
    this.#isFitted = isFitted;
  }

  /** While a frame is being decoded only the newest of the following ones is kept. @param {ArrayBuffer} message */
  show(message) {
    const header = new DataView(message, 0, HEADER_BYTES);
    this.#newest = {
      number: header.getUint32(0),
      width: header.getUint16(4),
      height: header.getUint16(6),
      jpeg: new Blob([new Uint8Array(message, HEADER_BYTES)], { type: "image/jpeg" }),
    };
    if (!this.#isDrawing) void this.#drawAll();
  }

  /** Converts a point on the screen to one on the site. @param {{ clientX: number, clientY: number }} point */
  toSite({ clientX, clientY }) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const round = (/** @type {number} */ value) => clamp(Math.round(value * 100) / 100);
    return {
      x: round(((clientX - left) * this.#site.width) / Math.max(1, width)),
      y: round(((clientY - top) * this.#site.height) / Math.max(1, height)),
    };
  }

  /** Site pixels per screen pixel. */
  get scale() {
    return this.#site.width / Math.max(1, this.#canvas.getBoundingClientRect().width);
  }

  get siteHeight() {
    return this.#site.height;
  }

  /** Whether it has only one color, like a page that has not been painted yet. */
  isBlank() {
    const sample = document.createElement("canvas");
    sample.width = SAMPLE_WIDTH;
    sample.height = SAMPLE_HEIGHT;
    const context = sample.getContext("2d", { alpha: false, willReadFrequently: true });
    if (context === null) return false;
    context.imageSmoothingQuality = "high";
    context.drawImage(this.#canvas, 0, 0, SAMPLE_WIDTH, SAMPLE_HEIGHT);
    const pixels = new Uint32Array(context.getImageData(0, 0, SAMPLE_WIDTH, SAMPLE_HEIGHT).data.buffer);
    return pixels.every((pixel) => pixel === pixels[0]);
  }

  async #drawAll() {
    this.#isDrawing = true;
    while (this.#newest !== null) {
      const frame = this.#newest;
      this.#newest = null;
      await this.#draw(frame);
      this.#onDrawn(frame.number);
    }
    this.#isDrawing = false;
  }

  /** @param {Frame} frame */
  async #draw({ width, height, jpeg }) {
    const bitmap = await createImageBitmap(jpeg).catch(() => null);
    // A frame that cannot be decoded is skipped.
    if (bitmap === null) return;
    const canvas = this.#canvas;
    // Only when it changes: setting the size clears the canvas.
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    if (this.#site.width !== width || this.#site.height !== height) {
      this.#site = { width, height };
      if (this.#isFitted) return this.#paint(bitmap);
      canvas.style.width = `${width}px`;
      canvas.style.aspectRatio = `${width} / ${height}`;
    }
    this.#paint(bitmap);
  }

  /** @param {ImageBitmap} bitmap */
  #paint(bitmap) {
    this.#context.drawImage(bitmap, 0, 0);
    bitmap.close();
  }
}

const MAX_COORDINATE = 10_000;

/** @param {number} value */
export function clamp(value) {
  return Math.max(-MAX_COORDINATE, Math.min(MAX_COORDINATE, value));
}

const MIN_SIZE = 200;
const MAX_WIDTH = 1_280;
const MAX_HEIGHT = 800;
const SETTLED_MS = 150;

/** The size for the site's window. @param {HTMLElement} stage */
export function siteSize({ clientWidth, clientHeight }) {
  return {
    width: Math.max(MIN_SIZE, Math.min(MAX_WIDTH, clientWidth)),
    height: Math.max(MIN_SIZE, Math.min(MAX_HEIGHT, clientHeight)),
  };
}

/**
 * Reports a new size of the stage, once it has stopped changing.
 * @param {HTMLElement} stage
 * @param {(size: { width: number, height: number }) => void} onResize
 */
export function watchStage(stage, onResize) {
  let lastSize = siteSize(stage);
  let timer = 0;
  const observer = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      const size = siteSize(stage);
      if (size.width === lastSize.width && size.height === lastSize.height) return;
      lastSize = size;
      onResize(size);
    }, SETTLED_MS);
  });
  observer.observe(stage);
  followVisualViewport();
}

/** Some phones lay the keyboard over the page instead of shrinking it. Then the page shrinks itself. */
function followVisualViewport() {
  const { visualViewport, document } = window;
  if (visualViewport === null) return;
  visualViewport.addEventListener("resize", () => {
    // Not when the person has zoomed in.
    if (visualViewport.scale !== 1) return;
    document.documentElement.style.setProperty("--live-height", `${visualViewport.height}px`);
    scrollTo(0, 0);
  });
}
