import { readFile } from "node:fs/promises";
import type { Observation } from "../browser/observation/observation.ts";
import { toLines } from "../browser/observation/to-lines.ts";
import type { BrowserSession, QuarantinedDownload } from "../browser/session/browser-session.ts";
import type { Reporter } from "./errand.ts";
import type { Extraction } from "./extraction/fact.ts";
import { toProvenance } from "./extraction/provenance.ts";
import { redactUrl } from "./redact-url.ts";

interface Evidence {
  readonly session: BrowserSession;
  readonly reporter: Reporter;
  readonly downloads: readonly QuarantinedDownload[];
  /** The last one of the run. */
  readonly observation: Observation;
}

/** Where each extracted value stood, with the picture that shows it. */
export async function keepProvenance(
  { reporter, pictureOf }: { reporter: Reporter; pictureOf: (look: number) => string | null },
  extraction: Extraction,
): Promise<void> {
  await reporter.keep({
    kind: "provenance",
    name: "provenance.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(toProvenance(extraction, pictureOf), null, 2)}\n`),
  });
}

/** Keeps what the run leaves to look at: the last page as it was read, what was sent, what was downloaded. */
export async function keepEvidence({ session, reporter, downloads, observation }: Evidence): Promise<void> {
  const { url, title, root } = observation;
  const page = [`# ${title}`, `# ${url}`, "", ...toLines(root), ""].join("\n");
  await reporter.keep({
    kind: "page",
    name: "final-page.txt",
    contentType: "text/plain; charset=utf-8",
    data: Buffer.from(page),
  });
  const writes = session.writes().map((write) => ({ ...write, url: redactUrl(write.url) }));
  await reporter.keep({
    kind: "network",
    name: "network-writes.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(writes, null, 2)}\n`),
  });
  for (const { name, path, refusal } of downloads) {
    if (refusal !== null) continue;
    const data = await readFile(path);
    await reporter.keep({ kind: "download", name, contentType: "application/octet-stream", data });
  }
}
