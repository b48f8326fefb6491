import { describe, expect, test } from "vitest";
import { SideEffectLedger } from "../../src/agent/actions/side-effects.ts";
import { checkCauses, checkWrites } from "../../src/agent/verifier/check-changes.ts";
import type { NetworkRecord } from "../../src/browser/session/network-record.ts";
import { report, request } from "../_harness/observed.ts";

const CLICK = {
  step: 1,
  cause: 'click "Save"',
  call: { action: "click", input: { label: "Save" } },
  hasFailed: false,
  effect: "mutate",
  url: "https://shop.example/",
  at: new Date("2026-03-11T10:00:00Z"),
  after: null,
} as const;

function verdictOf(...writes: NetworkRecord[]) {
  return checkWrites(writes.map((write) => ({ write, cause: CLICK }))).verdict;
}

describe("every change must have been accepted", () => {
  test.each([200, 201, 204, 302, 303, 307])("a status of %i is acceptance", (status) => {
    expect(verdictOf(request({ status }))).toBe("satisfied");
  });

  test.each([400, 401, 403, 409, 422, 500, 503])("a status of %i is not", (status) => {
    expect(verdictOf(request({ status: 200 }), request({ number: 2, status }))).toBe("contradicted");
  });

  test("a change without a response is unknown", () => {
    expect(verdictOf(request({ status: null, failure: "net::ERR_ABORTED" }))).toBe("unknown");
    expect(verdictOf(request({ status: null }))).toBe("unknown");
  });

  test("the same change, sent again and accepted, replaces the first", () => {
    const failed = request({ status: 503 });
    expect(verdictOf(failed, request({ number: 2 }))).toBe("satisfied");
    expect(verdictOf(failed, request({ number: 2, bodyHash: "b" }))).toBe("contradicted");
    expect(verdictOf(request({ number: 2, status: 503 }), request({ number: 1 }))).toBe("contradicted");
  });

  test("requests to other sites, or by beacon, are not part of the errand", () => {
    const others = request({ status: 500, isFirstParty: false });
    expect(verdictOf(others, request({ status: null, resourceType: "ping" }))).toBe("satisfied");
  });

  test("without any change there is nothing to refuse", () => {
    expect(verdictOf()).toBe("satisfied");
  });
});

describe("every form submission must have a step", () => {
  const submission = request({ isNavigation: true, resourceType: "document" });

  test("a click may submit", () => {
    expect(checkCauses([{ write: submission, cause: CLICK }]).verdict).toBe("satisfied");
  });

  test("a page that submits a form when it is opened is detected", () => {
    const opening = { ...CLICK, cause: "goto https://shop.example/", effect: "navigate" } as const;
    expect(checkCauses([{ write: submission, cause: opening }]).verdict).toBe("contradicted");
    expect(checkCauses([{ write: submission, cause: null }]).verdict).toBe("contradicted");
  });
});

describe("the side-effect ledger", () => {
  test("lists each change with its step and status, and without the values of its query", () => {
    const ledger = new SideEffectLedger();
    const write = request({ url: "https://me:secret@shop.example/orders?token=abc&page=2#top", status: null });
    ledger.record(CLICK, report("click", {}, { events: { requests: [write] } }));
    expect(ledger.list([{ ...write, status: 201 }])).toEqual([
      {
        type: "request",
        method: "POST",
        url: "https://shop.example/orders?token=…&page=…",
        status: 201,
        step: 1,
        cause: 'click "Save"',
        first_party: true,
        at: "2026-03-11T10:00:00.000Z",
      },
    ]);
  });

  test("attributes a change between two steps to the one before it", () => {
    const ledger = new SideEffectLedger();
    ledger.record(CLICK, report("click"));
    ledger.record({ ...CLICK, step: 2, at: new Date("2026-03-11T10:00:09Z") }, report("wait_for"));
    const late = request({ startedAt: new Date("2026-03-11T10:00:05Z") });
    expect(ledger.list([late])).toMatchObject([{ step: 1 }]);
  });

  test("leaves out requests that never left the browser", () => {
    const ledger = new SideEffectLedger();
    const held = [
      request({ blockedBy: "read_only", status: null }),
      request({ blockedBy: "allow_list", status: null }),
    ];
    expect(ledger.list(held)).toEqual([]);
  });

  test("lists downloads, uploads and accepted dialogs, but no reads", () => {
    const ledger = new SideEffectLedger();
    const download = { name: "a.pdf", url: "https://shop.example/a.pdf", path: "/x", bytes: 3, refusal: null };
    const question = { kind: "confirm", message: "Delete it?", defaultText: "" } as const;
    const dialogs = [
      { dialog: question, answer: "accepted" },
      { dialog: question, answer: "dismissed" },
    ] as const;
    ledger.record(CLICK, report("click", {}, { events: { downloads: [download], dialogs } }));
    ledger.record(CLICK, report("upload", { label: "Picture" }));
    ledger.record(CLICK, report("click", {}, { events: { requests: [request({ method: "GET" })] } }));
    expect(ledger.list([]).map(({ type }) => type)).toEqual(["download", "dialog", "upload"]);
  });
});
