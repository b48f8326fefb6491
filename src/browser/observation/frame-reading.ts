import type { Frame, JSHandle } from "playwright-core";
import { type Collected, collectFacts } from "./in-page/collect-facts.ts";
import { describeLook } from "./in-page/describe-look.ts";
import { createClickReader } from "./in-page/read-click-target.ts";
import { readField } from "./in-page/read-fields.ts";
import { readHiddenText } from "./in-page/read-hidden-text.ts";
import { walkPage } from "./in-page/walk-page.ts";
import type { PageFacts } from "./page-facts.ts";
import { LISTENERS_PASSWORD } from "./remember-listeners.ts";
import { SECRET_AUTOCOMPLETE } from "./secret-autocomplete.ts";

/** The pass over one frame's document. It stays in the page until its facts are asked for. */
export type FrameReading = JSHandle<Collected>;

/** The functions travel as text, so each must make do with its parameters. */
const SOURCE = `(${collectFacts})({
  walk: ${walkPage},
  createClickReader: ${createClickReader},
  describeLook: ${describeLook},
  readField: ${readField},
  readHiddenText: ${readHiddenText},
  listenersPassword: ${JSON.stringify(LISTENERS_PASSWORD)},
  secretPattern: ${JSON.stringify(SECRET_AUTOCOMPLETE)},
})`;

export function readFrame(frame: Frame): Promise<FrameReading> {
  return frame.evaluateHandle<Collected>(SOURCE);
}

/** Fails when the document has gone since, so that a snapshot taken in between is known to be of the same document. */
export async function takeFacts(reading: FrameReading): Promise<PageFacts> {
  // As text it arrives several times faster; but old libraries bend how a page writes JSON.
  const facts = await reading.evaluate(({ facts: taken }) =>
    "toJSON" in Array.prototype || "toJSON" in Object.prototype ? taken : JSON.stringify(taken),
  );
  return typeof facts === "string" ? (JSON.parse(facts) as PageFacts) : facts;
}
