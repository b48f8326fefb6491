import { setTimeout as sleep } from "node:timers/promises";
import type { ElementHandle } from "playwright-core";
import type { PinnedElement } from "../../browser/session/browser-session.ts";
import { ActionFailed } from "./action.ts";
import { type Probe, probeElement, probeFrame, type ScrollFirst } from "./in-page/probe-element.ts";
import { quote } from "./plain-text.ts";

export interface HitPoint {
  /** From the corner of the element's padding box. */
  readonly position: { readonly x: number; readonly y: number };
  /** In the viewport of the page. */
  readonly x: number;
  readonly y: number;
}

/** Menus that slide away and veils that fade get this long. */
const PATIENCE_MS = 1000;
const PAUSE_MS = 100;
/** Under a fixed header or above a fixed footer an element is free at another height. */
const SCROLLS: readonly ScrollFirst[] = ["no", "center", "end", "start"];

/** A point at which the mouse really meets the element, scrolled into view; `covered`, naming the cover, if there is none. */
export async function findHitPoint(element: PinnedElement, signal: AbortSignal): Promise<HitPoint> {
  const { handle } = element;
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const probe = await probeAtAnyHeight(handle, signal);
    if (probe.kind === "hit") return probe;
    if (probe.kind === "detached" || performance.now() > deadline) throw describeMiss(probe, element);
    await sleep(PAUSE_MS, undefined, { signal });
  }
}

/** Whether the mouse meets the element where it is now. */
export async function isHittable(handle: ElementHandle<Element>): Promise<boolean> {
  return (await probeThroughFrames(handle, "no")).kind === "hit";
}

async function probeAtAnyHeight(handle: ElementHandle<Element>, signal: AbortSignal): Promise<Probe> {
  let miss: Probe = { kind: "hidden" };
  for (const scroll of SCROLLS) {
    signal.throwIfAborted();
    const probe = await probeThroughFrames(handle, scroll);
    if (probe.kind === "hit" || probe.kind === "detached") return probe;
    if (probe.kind === "covered") miss = probe;
  }
  return miss;
}

async function probeThroughFrames(handle: ElementHandle<Element>, scroll: ScrollFirst): Promise<Probe> {
  const probe = await handle.evaluate(probeElement, scroll);
  if (probe.kind !== "hit") return probe;
  let { x, y } = probe;
  let frame = await handle.ownerFrame();
  while (frame !== null && frame.parentFrame() !== null) {
    const owner = await frame.frameElement();
    const around = await owner.evaluate(probeFrame, { x, y });
    await owner.dispose();
    if (around.kind !== "hit") return around;
    ({ x, y } = around);
    frame = frame.parentFrame();
  }
  return { ...probe, x, y };
}

function describeMiss(probe: Exclude<Probe, { kind: "hit" }>, { role, name }: PinnedElement): ActionFailed {
  const what = `The ${role} ${quote(name)}`;
  switch (probe.kind) {
    case "covered":
      return new ActionFailed("covered", `${what} is covered by ${probe.by}. Close or answer that first.`);
    case "hidden":
      return new ActionFailed("covered", `${what} cannot be seen, and scrolling does not bring it into view.`);
    case "detached":
      return new ActionFailed("stale", `${what} is no longer on the page. Look again.`);
  }
}
