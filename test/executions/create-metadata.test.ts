import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExecutionEvent } from "../../src/contract/execution-event.ts";
import { type Api, createApi } from "../_harness/api.ts";
import { CONFIDENTIAL, setWebhookStage, type WebhookStage } from "../_harness/webhook-stage.ts";

const METADATA = { order: "A-1042", "with space": "ünï" };

describe("the metadata of an execution", () => {
  let stage: WebhookStage;
  let api: Api;

  beforeAll(async () => {
    stage = await setWebhookStage();
    api = stage.api;
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function listEvents(id: string): Promise<ExecutionEvent[]> {
    return (await api.events(id)).body.events;
  }

  it("is in the first and the last event and in the webhook, but not in the execution", async () => {
    const { path } = await stage.register();
    const created = await api.created({ prompt: "Say hello.", metadata: METADATA });
    expect(Object.keys(created)).not.toContain("metadata");
    expect((await api.cancel(created.id)).body.execution).not.toHaveProperty("metadata");
    const events = await listEvents(created.id);
    expect(events[0]).toMatchObject({ type: "execution.queued", data: { metadata: METADATA } });
    expect(events.at(-1)).toMatchObject({
      type: "execution.failed",
      data: { metadata: METADATA, terminal: { status: "canceled" } },
    });
    const [message] = await stage.receiver.messages(path, 1);
    expect(JSON.parse(message?.body ?? "{}").data).toMatchObject({ metadata: METADATA, execution: { id: created.id } });
  });

  it("is empty in webhooks and absent from events when there is none", async () => {
    const { path } = await stage.register();
    const { id } = await api.created({ prompt: "Say hello.", metadata: null });
    await api.cancel(id);
    expect((await listEvents(id))[0]?.data).toEqual({});
    const [message] = await stage.receiver.messages(path, 1);
    expect(JSON.parse(message?.body ?? "{}").data.metadata).toEqual({});
  });

  it("is part of the request that an Idempotency-Key stands for", async () => {
    const headers = { "idempotency-key": "with-metadata" };
    const first = await api.created({ prompt: "x", metadata: METADATA }, headers);
    const again = await api.create({ prompt: "x", metadata: METADATA }, headers);
    expect([again.status, again.body.execution.id]).toEqual([200, first.id]);
    expect((await api.create({ prompt: "x", metadata: { order: "other" } }, headers)).status).toBe(409);
  });

  it("is not shown to another connection of the application", async () => {
    const { id } = await api.created({ prompt: "x", metadata: METADATA });
    const other = createApi(stage.service.url, await stage.service.connect(CONFIDENTIAL));
    expect((await other.events(id)).status).toBe(404);
  });

  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]));

  it("has at most 16 pairs with names of 40 and values of 500 characters", async () => {
    const longest = { ...pairs(15), ["n".repeat(40)]: "😀".repeat(500) };
    expect((await api.create({ prompt: "x", metadata: longest })).status).toBe(201);
  });

  it.each([
    ["17 pairs", pairs(17)],
    ["a number", { n: 1 }],
    ["null as a value", { n: null }],
    ["an object as a value", { n: {} }],
    ["a name that is too long", { ["n".repeat(41)]: "v" }],
    ["an empty name", { "": "v" }],
    ["a value that is too long", { n: "v".repeat(501) }],
    ["a NUL character", { n: "\0" }],
    ["a list", ["a"]],
    ["a text", "a"],
  ])("is refused with %s", async (_name, metadata) => {
    const { status, body } = await api.create({ prompt: "x", metadata });
    expect([status, body.error.code, body.error.details[0].path]).toEqual([
      400,
      "INVALID_REQUEST",
      expect.stringMatching(/^metadata/),
    ]);
  });
});
