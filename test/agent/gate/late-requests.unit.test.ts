import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Gate } from "../../../src/agent/gate/gate.ts";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";
import { hashBody } from "../../../src/browser/session/network-record.ts";
import type { HeldRequest } from "../../../src/browser/session/write-interceptor.ts";
import { CostMeter } from "../../../src/models/usage.ts";
import { field, node, observation, request } from "../../_harness/observed.ts";

const URL = "https://shop.example/";
const CHANGE = "Rename the tree Larch to Oak.";
const seen = observation(URL, [
  node("button", "2", { ref: "e1" }),
  node("textbox", "Name", { ref: "e2", field: field("text") }),
  node("button", "Calculate", { ref: "e3" }),
]);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function json(method: string, path: string, data: object): HeldRequest {
  const body = JSON.stringify(data);
  const url = `https://shop.example${path}`;
  return {
    method,
    url,
    resourceType: "fetch",
    body,
    bodyHash: hashBody(body),
    contentType: "application/json",
    from: URL,
  };
}

/** A gate of a model, with a judge who agrees. */
function openGate(prompt: string) {
  const gate = new Gate({
    task: { prompt, startUrl: URL, outputSchema: null, now: new Date(0) },
    secrets: new TaskSecrets(prompt),
    direction: { isExplicit: false, isQuestion: false, judge: null, recorded: null },
    people: { approval: "never", isReachable: false, budget: null, ask: async () => ({ kind: "approved" }) },
    meter: new CostMeter(1),
    takePicture: async () => null,
    observe: async () => seen,
  });
  /** Performs an action. */
  const act = async (action: string, input: Record<string, unknown>, commit: string | null = null) => {
    const declared = commit === null ? {} : { commit };
    await gate.admit({ action, input, ...declared }, seen, new AbortController().signal);
  };
  const click = async () => {
    await act("click", { ref: "e1", label: "2" });
    return gate.end(seen);
  };
  const later = (sent: HeldRequest, ms = 1_000) => {
    vi.advanceTimersByTime(ms);
    return gate.decide(sent);
  };
  return { gate, act, click, later };
}

describe("what comes after an action is over", () => {
  test("is no polling when it follows one click after another", async () => {
    const { click, later } = openGate("Which tree is the oldest?");
    for (let number = 0; number < 10; number += 1) {
      await click();
      expect(later(json("POST", "/presets", { page: 2 }))).toBe("stop");
    }
  });

  test("is no polling when it carries something else each time, or what was entered", async () => {
    const { act, gate, later } = openGate("Which tree is the oldest?");
    await act("fill", { ref: "e2", label: "Name", text: "Oak" });
    gate.end(seen);
    for (let number = 0; number < 10; number += 1) {
      expect(later(json("POST", "/presets", { page: number }))).toBe("stop");
      expect(later(json("POST", "/x", { name: "Oak" }))).toBe("stop");
    }
  });

  test("is no polling when a request that was stopped is tried again after longer times, or in a burst", async () => {
    const { click, gate, later } = openGate("Which tree is the oldest?");
    await click();
    for (let ms = 500; ms < 60_000; ms *= 1.5) expect(later(json("POST", "/presets", { page: 2 }), ms)).toBe("stop");
    for (let attempt = 0; attempt < 9; attempt += 1) expect(gate.decide(json("POST", "/y", {}))).toBe("stop");
  });

  test("is polling when the same comes again and again, and is listed as a change", async () => {
    const { gate, click, later } = openGate("Which tree is the oldest?");
    const poll = json("POST", "/feed", { since: 3 });
    await click();
    const decisions = Array.from({ length: 8 }, () => later(poll));
    expect(decisions.slice(0, 3)).not.toContain("pass");
    expect(new Set(decisions.slice(3))).toEqual(new Set(["pass"]));
    expect(gate.isLookup(request({ ...poll, method: "POST" }))).toBe(false);
  });

  test("is held when it changes something that is there, and the planner hears of it", async () => {
    const { gate, click, later } = openGate(CHANGE);
    await click();
    for (const method of ["PUT", "PATCH", "DELETE"])
      expect(later(json(method, "/settings", { dark: true }))).toBe("stop");
    expect(gate.hasHeldBack).toBe(true);
    expect(gate.end(seen)).toMatchObject({ message: expect.stringContaining("/settings"), fails: "never" });
    expect(gate.hasHeldBack).toBe(false);
  });

  test("passes when it saves what was entered, or what was agreed to", async () => {
    const { gate, act, click, later } = openGate(CHANGE);
    await act("fill", { ref: "e2", label: "Name", text: "Oak" });
    await click();
    expect(later(json("PATCH", "/trees/3", { name: "Oak" }))).toBe("pass");
    expect(later(json("PATCH", "/trees/3", { name: "" }))).toBe("stop");
    await act("click", { ref: "e3", label: "Calculate" }, "Rename the tree Larch to Oak");
    expect(gate.decide(json("PATCH", "/trees/4?full=1", { name: "Oak" }))).toBe("pass");
    gate.end(seen);
    await click();
    expect(later(json("PATCH", "/trees/4", { height: 3 }))).toBe("pass");
    expect(later(json("PATCH", "/trees/5", { height: 3 }))).toBe("stop");
  });

  test("does not belong to the page because the run scrolls", async () => {
    const { gate, act, click, later } = openGate("Which tree is the oldest?");
    await click();
    expect(later(json("POST", "/presets", { page: 2 }))).toBe("stop");
    await act("scroll", { direction: "down" });
    expect(gate.decide(json("POST", "/presets", { page: 2 }))).toBe("stop");
    expect(gate.decide(json("PATCH", "/presets/1", { page: 2 }))).toBe("stop");
    expect(gate.decide(json("POST", "/feed", { page: 2 }))).toBe("pass");
  });
});

test("what was agreed to is no lookup, whatever its label says and whatever the page has sent before", async () => {
  const { gate, act } = openGate(CHANGE);
  const toggle = json("POST", "/trees/3", {});
  expect(gate.decide(toggle)).toBe("pass");
  expect(gate.isLookup(request({ ...toggle }))).toBe(true);
  await act("fill", { ref: "e2", label: "Name", text: "Oak" });
  gate.end(seen);
  await act("click", { ref: "e3", label: "Calculate" }, "Rename the tree Larch to Oak");
  const rename = json("POST", "/trees/5", { name: "Oak" });
  expect(gate.decide(rename)).toBe("pass");
  expect(gate.isLookup(request({ ...rename }))).toBe(false);
  expect(gate.commits).toHaveLength(1);
});
