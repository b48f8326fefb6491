import { readFile } from "node:fs/promises";
import type { Observation } from "../browser/observation/observation.ts";
import { toLines } from "../browser/observation/to-lines.ts";
import type { BrowserSession, QuarantinedDownload } from "../browser/session/browser-session.ts";
import type { CapturedPages } from "./captured-pages.ts";
import type { Reporter } from "./errand.ts";
import type { Extraction } from "./extraction/fact.ts";
import { toProvenance } from "./extraction/provenance.ts";
import { redactUrl } from "./redact-url.ts";
import type { StepRecorder } from "./step-recorder.ts";

interface Evidence {
  readonly session: BrowserSession;
  readonly reporter: Reporter;
  readonly downloads: readonly QuarantinedDownload[];
  /** The last one of the run. */
  readonly observation: Observation;
}

interface Sources {
  readonly reporter: Reporter;
  readonly recorder: StepRecorder;
  readonly captured: CapturedPages;
}

/** Where each extracted value stood, with the picture that shows it. */
export async function keepProvenance(extraction: Extraction, { reporter, recorder, captured }: Sources): Promise<void> {
  const provenance = toProvenance(extraction, (look) => recorder.pictureOf(look), captured.list());
  await reporter.keep({
    kind: "provenance",
    name: "provenance.json",
    contentType: "application/json",
    data: Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`),
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
