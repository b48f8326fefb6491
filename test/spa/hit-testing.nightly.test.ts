import { expect, test } from "vitest";
import { type Observation, walk } from "../../src/browser/observation/observation.ts";
import { findDifferences } from "../_harness/compare-with-playwright.ts";
import { findMissed } from "../_harness/hit-testing.ts";
import { openSpaPage } from "./_harness.ts";

test.each([
  "combobox-mantine",
  "combobox-mui",
  "combobox-react-select",
  "drag-dnd-kit",
  "drag-sortablejs",
  "drag-xyflow",
  "slider-mantine",
  "drawing-editor",
])("nothing that can be seen or acted on is missing: %s", async (name) => {
  const { session, observation } = await openSpaPage(name);
  const pin = (ref: string) => session.pin(ref);
  const { handle } = await pin(firstRef(observation));
  const page = handle.frame.page();
  expect(await findMissed({ page, observation, pin })).toEqual({ elements: [], texts: [], unreachable: [] });
  expect(await findDifferences({ page, observation, pin })).toEqual([]);
});

function firstRef({ root }: Observation): string {
  const [ref] = [...walk(root)].flatMap(({ node }) => node.ref ?? []);
  if (ref === undefined) throw new Error("The page has no targets.");
  return ref;
}
