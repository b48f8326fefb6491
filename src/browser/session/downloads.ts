import { mkdir, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContext, Download } from "playwright-core";
import { describeError } from "../../lib/errors.ts";
import type { Mark, QuarantinedDownload } from "./browser-session.ts";
import { isAfter, Pulse, type Timeline } from "./timeline.ts";

interface DownloadOptions {
  timeline: Timeline;
  /** Where the browser writes running downloads. */
  folder: string;
  limits: { readonly maxFiles: number; readonly maxBytes: number };
}

const WATCH_MS = 100;
const MAX_STEM = 80;

/** Files that pages make the browser download, in a folder that is removed with the session. */
export class Downloads {
  readonly #options: DownloadOptions;
  readonly #quarantine: string;
  readonly #entries: { at: number; download: QuarantinedDownload }[] = [];
  readonly #beginnings: number[] = [];
  #running = 0;
  #keptBytes = 0;
  /** A download began. */
  readonly begun = new Pulse();
  /** A download ended. */
  readonly ended = new Pulse();

  constructor(options: DownloadOptions) {
    this.#options = options;
    this.#quarantine = join(options.folder, "quarantine");
  }

  watch(context: BrowserContext): void {
    context.on("download", (download) => void this.#receive(download));
  }

  get isRunning(): boolean {
    return this.#running > 0;
  }

  countBegunSince(mark: Mark): number {
    return this.#beginnings.filter((at) => isAfter(at, mark)).length;
  }

  since(mark: Mark): QuarantinedDownload[] {
    return this.#entries.filter(({ at }) => isAfter(at, mark)).map(({ download }) => download);
  }

  async #receive(source: Download): Promise<void> {
    const { maxFiles } = this.#options.limits;
    const number = this.#beginnings.push(this.#options.timeline.next());
    const facts = { name: toSafeName(source.suggestedFilename()), url: source.url() };
    this.#running += 1;
    this.begun.fire();
    try {
      const outcome =
        number > maxFiles
          ? await this.#refuse(source, `more than ${maxFiles} files`)
          : await this.#keep(source, `${number}-${facts.name}`);
      this.#entries.push({ at: this.#options.timeline.next(), download: { ...facts, ...outcome } });
    } finally {
      this.#running -= 1;
      this.ended.fire();
    }
  }

  async #keep(source: Download, name: string): Promise<Outcome> {
    const { maxBytes } = this.#options.limits;
    let isTooLarge = false;
    const watch = setInterval(async () => {
      isTooLarge ||= this.#keptBytes + (await this.#measureRunning()) > maxBytes;
      if (isTooLarge) await source.cancel().catch(() => {});
    }, WATCH_MS);
    try {
      const temporary = await source.path();
      const { size } = await stat(temporary);
      isTooLarge = this.#keptBytes + size > maxBytes;
      if (isTooLarge) throw new Error("too large");
      this.#keptBytes += size;
      const path = join(this.#quarantine, name);
      await mkdir(this.#quarantine, { recursive: true });
      await rename(temporary, path);
      return { path, bytes: size, refusal: null };
    } catch (error) {
      const why = isTooLarge ? `larger than the limit of ${maxBytes} bytes per execution` : describeError(error);
      return await this.#refuse(source, why);
    } finally {
      clearInterval(watch);
    }
  }

  async #measureRunning(): Promise<number> {
    const names = await readdir(this.#options.folder);
    const sizes = names.map(async (name) => {
      const facts = await stat(join(this.#options.folder, name)).catch(() => null);
      return facts?.isFile() ? facts.size : 0;
    });
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  async #refuse(source: Download, refusal: string): Promise<Outcome> {
    await source.cancel().catch(() => {});
    await source.delete().catch(() => {});
    return { path: "", bytes: 0, refusal };
  }
}

type Outcome = Pick<QuarantinedDownload, "path" | "bytes" | "refusal">;

/** A plain file name: no path, no hidden file, no characters with a meaning in a shell or a header. */
function toSafeName(suggested: string): string {
  const name = suggested
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+/, "")
    .trim();
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - extension.length).slice(0, MAX_STEM);
  return `${stem}${extension}` || "download";
}
