// @ts-check

/** As in `FRAME_HEADER_BYTES`: four bytes number, two width, two height. */
const HEADER_BYTES = 8;
const SAMPLE_WIDTH = 160;
const SAMPLE_HEIGHT = 100;

/** @typedef {{ number: number, width: number, height: number, jpeg: Blob }} Frame */

/** What the site looks like, on a canvas. */
export class Picture {
  #canvas;
  #context;
  #onDrawn;
  /** @type {Frame | null} */
  #newest = null;
  #isDrawing = false;
  /** Of the site's viewport, in its own CSS pixels. */
  #site = { width: 1, height: 1 };

  /** @param {HTMLCanvasElement} canvas @param {(number: number) => void} onDrawn */
  constructor(canvas, onDrawn) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser has no canvas");
    this.#canvas = canvas;
    this.#context = context;
    this.#onDrawn = onDrawn;
  }

  /** One that comes while another is decoded replaces those that wait. @param {ArrayBuffer} message */
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

  /** Where on the site a place on the screen is. @param {{ clientX: number, clientY: number }} place */
  toSite({ clientX, clientY }) {
    const { left, top, width, height } = this.#canvas.getBoundingClientRect();
    const round = (/** @type {number} */ value) => clamp(Math.round(value * 100) / 100);
    return {
      x: round(((clientX - left) * this.#site.width) / Math.max(1, width)),
      y: round(((clientY - top) * this.#site.height) / Math.max(1, height)),
    };
  }

  /** How many of the site's pixels one of the screen's is. */
  get scale() {
    return this.#site.width / Math.max(1, this.#canvas.getBoundingClientRect().width);
  }

  get siteHeight() {
    return this.#site.height;
  }

  /** Whether it is of one colour, as a page is that has not begun to be drawn. */
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
    // One that cannot be read is left out: the next will come.
    if (bitmap === null) return;
    const canvas = this.#canvas;
    // Setting the size wipes the canvas, so only when it changes.
    if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) {
      canvas.width = bitmap.width;
      canvas.height = bitmap.height;
    }
    if (this.#site.width !== width || this.#site.height !== height) {
      this.#site = { width, height };
      canvas.style.width = `${width}px`;
      canvas.style.aspectRatio = `${width} / ${height}`;
    }
    this.#context.drawImage(bitmap, 0, 0);
    bitmap.close();
  }
}

const FARTHEST = 10_000;

/** @param {number} value */
export function clamp(value) {
  return Math.max(-FARTHEST, Math.min(FARTHEST, value));
}
