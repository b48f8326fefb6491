import { describe, expect, test } from "vitest";
import { SideEffectLedger, type StepCause } from "../../../src/agent/actions/side-effects.ts";
import { CapturedPages } from "../../../src/agent/grounding/captured-pages.ts";
import { checkCauses, checkWrites } from "../../../src/agent/verifier/check-writes.ts";
import type { NetworkRecord } from "../../../src/browser/session/network-record.ts";
import { ReceivedJson } from "../../../src/browser/session/received-json.ts";
import { readBody } from "../../../src/browser/session/sent-body.ts";
import { report, request } from "../../_harness/observed.ts";

const CLICK: StepCause = {
  step: 1,
  cause: 'click "Save"',
  call: { action: "click", input: { label: "Save" } },
  hasFailed: false,
  effect: "mutate",
  url: "https://shop.example/",
  seen: null,
  at: new Date("2026-03-11T10:00:00Z"),
  after: null,
};

function verdictOf(...writes: NetworkRecord[]) {
  return checkOf(writes).verdict;
}

function checkOf(writes: readonly NetworkRecord[], requests: readonly NetworkRecord[] = [], steps = [CLICK]) {
  const task = { prompt: "Save it.", startUrl: null, outputSchema: null, now: CLICK.at };
  const attributed = writes.map((write) => ({ write, cause: CLICK }));
  return checkWrites(attributed, {
    task,
    steps,
    captured: new CapturedPages(),
    events: { requests, downloads: [], dialogs: [] },
  });
}

const json = (data: unknown) => ({ received: new ReceivedJson(data) });
const graphQl = (query: string) => ({
  sent: readBody(JSON.stringify({ query, variables: {} }), "application/json"),
});

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

  test("a request of the page without a response, beside its own form that was accepted, does not matter", () => {
    const form = request({ number: 1, isNavigation: true, status: 303 });
    const unlock = request({ number: 2, isNavigation: false, status: null, url: "https://shop.example/ajax" });
    expect(verdictOf(form, unlock)).toBe("satisfied");
    expect(verdictOf({ ...form, status: 500 }, unlock)).toBe("contradicted");
    expect(verdictOf({ ...form, isNavigation: false }, unlock)).toBe("unknown");
  });

  test("what a page sends beside its own form may be refused, if the form was accepted", () => {
    const form = request({ number: 1, isNavigation: true, status: 302 });
    const draft = request({ number: 2, isNavigation: false, ...json({ error: { code: "badtoken" } }) });
    expect(verdictOf(form, draft)).toBe("satisfied");
    expect(verdictOf({ ...form, status: 500 }, draft)).toBe("contradicted");
    expect(verdictOf({ ...form, isNavigation: false }, draft)).toBe("contradicted");
  });

  test("the same change, sent again and accepted, replaces the first", () => {
    const failed = request({ status: 503 });
    expect(verdictOf(failed, request({ number: 2 }))).toBe("satisfied");
    expect(verdictOf(failed, request({ number: 2, bodyHash: "b" }))).toBe("contradicted");
    expect(verdictOf(request({ number: 2, status: 503 }), request({ number: 1 }))).toBe("contradicted");
  });

  test.each<[unknown, RegExp]>([
    [{ ok: false }, /"ok": false/],
    [{ success: false, message: "The name is taken." }, /returned 200, but its response says "success": false/],
    [{ success: 0 }, /"success": 0/],
    [{ isSuccess: "false" }, /"isSuccess": false/],
    [{ status: "error", message: "No." }, /"status": "error"/],
    [{ statusCode: 422, message: "No." }, /"statusCode": 422/],
    [{ error: "The name is taken." }, /"error"/],
    [{ jsonrpc: "2.0", id: 1, error: { code: -32_000 } }, /"error"/],
    [{ errors: { name: ["is taken"] } }, /"errors"/],
    [{ data: null, errors: [{ message: "No." }] }, /"errors"/],
    [{ data: { save: null }, errors: [{ message: "No.", path: ["save"] }] }, /"errors"/],
    [{ data: { save: { note: null, userErrors: [{ message: "No." }] } } }, /"userErrors"/],
    [{ data: { save: { success: false } } }, /"success": false/],
    [[{ error: { message: "No." } }], /"error"/],
    [{ code: 4003, message: "Your plan does not include this." }, /"code": 4003/],
    [{ code: 409, msg: "Not permitted by your organisation", data: null }, /"code": 409/],
    [{ errcode: "40013", errmsg: "bad name", request_id: "ab" }, /"errcode": 40013/],
    [{ code: 1, message: "Could not be saved" }, /"code": 1/],
  ])("a response of %j refuses it, with status 200", (data, says) => {
    const check = checkOf([request({ status: 200, ...json(data) })]);
    expect(check.verdict).toBe("contradicted");
    expect(check.evidence).toMatch(says);
    expect(check.evidence).not.toContain("taken");
  });

  test.each([
    { ok: true },
    { success: 1, errors: [] },
    { success: "yes", error: null },
    { error: false, errors: {} },
    { error: "", status: "saved" },
    { status: 200, name: "error" },
    { code: 0, message: "Your plan does not include this." },
    { code: 200, message: "Enjoy" },
    { code: 20_000, msg: "Hello" },
    { code: 1000, message: "OK" },
    { code: 1000, msg: "操作成功" },
    { code: 1, message: "Welcome back" },
    { code: 4711, message: "Your settings were saved." },
    { code: 4711, message: "Happy birthday", id: 7 },
    { code: 4711, message: "Hello", data: { id: 7 } },
    { code: "SPRING", message: "Hello" },
    { code: 4711 },
    { note: { text: "x", success: false } },
    { data: [{ success: false }] },
    { data: { id: 7, ok: true } },
    { data: { save: { id: 7, owner: null } }, errors: [{ message: "No.", path: ["save", "owner"] }] },
    [{ id: 1, error: "old" }, { id: 2 }],
    [],
    "ok",
    false,
    null,
  ])("a response of %j does not", (data) => {
    expect(verdictOf(request({ status: 200, ...json(data) }))).toBe("satisfied");
  });

  test("GraphQL that only asks for data changes nothing, whatever errors it has", () => {
    const errors = json({ data: { me: null }, errors: [{ message: "No." }] });
    expect(verdictOf(request({ ...errors, ...graphQl("query Me { me { id } }") }))).toBe("satisfied");
    expect(verdictOf(request({ ...errors, ...graphQl("{ me { id } }") }))).toBe("satisfied");
    expect(verdictOf(request({ ...errors, ...graphQl("mutation Save { me { id } }") }))).toBe("contradicted");
  });

  test("a refused search is no refused change", () => {
    const refused = json({ ok: false });
    expect(verdictOf(request({ ...refused, url: "https://shop.example/api/search" }))).toBe("satisfied");
  });

  test("a page that the run left while it was still saving has saved nothing for certain", () => {
    const pending = request({ status: null, failure: "net::ERR_ABORTED" });
    const leaving = request({
      number: 2,
      method: "GET",
      isNavigation: true,
      startedAt: new Date("2026-03-11T10:01:00Z"),
    });
    const next = { ...CLICK, step: 2, effect: "navigate" as const, at: new Date("2026-03-11T10:00:30Z") };
    expect(checkOf([pending], [leaving], [CLICK, next]).verdict).toBe("unknown");
    // The page moved on by itself: the request was about something else.
    expect(checkOf([pending], [leaving]).verdict).toBe("satisfied");
    // The same click saved by another request.
    expect(checkOf([pending, request({ number: 3 })], [leaving], [CLICK, next]).verdict).toBe("satisfied");
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
    const opening = { ...CLICK, cause: "goto https://shop.example/", effect: "navigate" as const };
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

  test("lists a GET request that was agreed to as a change, and attributes it once", () => {
    const ledger = new SideEffectLedger();
    const trash = request({ number: 1, method: "GET", url: "https://shop.example/post?action=trash&id=3" });
    const read = request({ number: 2, method: "GET", url: "https://shop.example/list" });
    const held = request({ ...trash, number: 3, blockedBy: "gate", status: null });
    const save = request({ number: 4 });
    ledger.describe = ({ url }) => (url === trash.url ? "Move it to the trash" : null);
    const requests = [trash, read, held, save];
    const listed = ledger.record(CLICK, report("click", {}, { events: { requests } }));
    const expected = [
      { method: "GET", description: "Move it to the trash", step: 1 },
      { method: "POST", step: 1 },
    ];
    expect(listed).toMatchObject(expected);
    expect(ledger.list([save])).toMatchObject(expected);
    expect(ledger.attribute([save]).map(({ write }) => write.number)).toEqual([1, 4]);
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
