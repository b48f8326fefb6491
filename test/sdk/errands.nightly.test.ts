import { connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, provide } from "./_project.ts";
import { type DeveloperService, startDeveloperService } from "./_service.ts";

const KETTLE = "Search for kettle, open Brindle Kettle and tell me its price.";
const MESSAGE =
  'Open Contact. Fill "Your name" with "Ada". Fill "E-mail address" with "ada@example.com". Select "Something else" in "What is it about?". Fill "Message" with "Hello, do you sell lids?". Click Send message. Check that the page says "Thank you".';

/** What every program of these tests begins with. It prints what it returns. */
const PRELUDE = `
import { Errand, ExecutionFailed, verifyWebhook } from "@errand/sdk";
const { ERRAND_URL, APPLICATION_ID, ACCESS_TOKEN } = process.env;
const options = { baseUrl: ERRAND_URL, applicationId: APPLICATION_ID, accessToken: ACCESS_TOKEN };
const errand = new Errand(options);
const print = (value) => console.log(JSON.stringify(value));
`;

describe("a program with the SDK, on a service with the demo shop", () => {
  let service: DeveloperService;
  let project: Project;
  let env: Awaited<ReturnType<DeveloperService["connect"]>>;

  beforeAll(async () => {
    project = await createProject();
    provide(project, "zod");
    // Few creates at once, so that one of the tests meets the limit.
    service = await startDeveloperService({ ERRAND_CREATES_PER_MINUTE: "60", ERRAND_RATE_BURST: "2" });
    env = await service.connect();
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    project[Symbol.dispose]();
  });

  let programs = 0;
  // biome-ignore lint/suspicious/noExplicitAny: each program prints something else
  async function run(code: string, more: Record<string, string> = {}): Promise<any> {
    const name = `program-${++programs}.js`;
    project.write(name, PRELUDE + code);
    return JSON.parse(await project.run(name, { ...env, ...more }));
  }

  it("runs a first errand, and sees each step", async () => {
    const { text, agreed, steps, listed, state } = await run(`
      const steps = [];
      const { id, result } = await errand.executions.createAndWait({
        prompt: ${JSON.stringify(KETTLE)},
        onStep: ({ data }) => void steps.push(data.action),
      });
      const listed = [];
      for await (const execution of errand.executions.list({ limit: 1 })) listed.push(execution.id === id);
      const { state } = await errand.connection.get();
      print({ text: result.final_text, agreed: result.evidence.verifier.agreed, steps, listed, state });
    `);
    expect(text).toContain("64.90");
    expect({ agreed, state }).toEqual({ agreed: true, state: "ACTIVE" });
    expect(steps.length).toBeGreaterThan(1);
    expect(listed[0]).toBe(true);
  });

  it("gets data in the shape of a zod schema, transformed by it", async () => {
    const { extracted, schema } = await run(`
      const { z } = await import("zod");
      const { result, output_schema } = await errand.executions.createAndWait({
        prompt: ${JSON.stringify(KETTLE)},
        output: z.object({ price: z.number().positive().transform((price) => Math.round(price * 100)) }),
      });
      print({ extracted: result.extracted, schema: output_schema });
    `);
    expect(extracted).toEqual({ price: 6490 });
    expect(schema).toMatchObject({ type: "object", required: ["price"] });
  });

  it("gets a failure with what was changed before, and the screenshots", async () => {
    const failure = await run(`
      try {
        await errand.executions.createAndWait({
          prompt: 'Search for kettle, open Brindle Kettle, click Add to cart, click "Launch the rocket".',
        });
      } catch (error) {
        const { execution, artifacts, terminal, evidence } = error;
        const screenshot = artifacts.find(({ kind }) => kind === "screenshot");
        const download = await errand.artifacts.download(execution.id, screenshot.id);
        print({
          isFailure: error instanceof ExecutionFailed,
          terminal,
          code: error.error.code,
          urls: evidence.urls,
          sideEffects: evidence.side_effects,
          isWhole: (await download.arrayBuffer()).byteLength === screenshot.bytes,
        });
      }
    `);
    expect(failure).toMatchObject({ isFailure: true, terminal: { status: "goal_unreachable" }, isWhole: true });
    expect(failure.urls).toContain(`${service.demoUrl}/products/brindle-kettle`);
    expect(failure.sideEffects).toEqual([expect.objectContaining({ type: "form_submission" })]);
  });

  it("sees every event once, although the connection is cut off in the middle", async () => {
    await using proxy = await startCuttingProxy(service.url);
    const ids: number[] = await run(
      `
      const { id } = await errand.executions.create({ prompt: ${JSON.stringify(KETTLE)} });
      const ids = [];
      for await (const event of errand.executions.events(id)) ids.push(event.id);
      print(ids);
    `,
      { ERRAND_URL: proxy.url },
    );
    expect(proxy.cuts()).toBe(2);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(ids.length).toBeGreaterThan(4);
  });

  it("waits when it meets a limit, and creates everything once", async () => {
    const { ids, statuses } = await run(`
      const statuses = [];
      const counting = async (...request) => {
        const response = await fetch(...request);
        statuses.push(response.status);
        return response;
      };
      const { executions } = new Errand({ ...options, fetch: counting, maxRetries: 10 });
      const created = await Promise.all(
        [1, 2, 3, 4, 5].map((number) => executions.create({ prompt: "Click All products.", metadata: { number: String(number) } })),
      );
      for (const { id } of created) await executions.cancel(id).catch(() => {});
      print({ ids: created.map(({ id }) => id), statuses });
    `);
    expect(statuses).toContain(429);
    expect(new Set(ids).size).toBe(5);
  });

  it("is asked before something is sent, and answers", async () => {
    const { asked, text, receipt } = await run(`
      const asked = [];
      const { result } = await errand.executions.createAndWait({
        prompt: ${JSON.stringify(MESSAGE)},
        approval: "commits",
        onInteraction: (interaction) => {
          asked.push(interaction.kind, new URL(interaction.link).origin);
          return { action: "approve" };
        },
      });
      print({ asked, text: result.final_text, receipt: result.evidence.side_effects });
    `);
    expect(asked).toEqual(["approval", service.url]);
    expect(receipt).toEqual([expect.objectContaining({ type: "form_submission" })]);
    expect(text).not.toBe("");
  });

  it("cancels the execution when it is aborted, if it wants that", async () => {
    const { reason, terminal } = await run(`
      const controller = new AbortController();
      const reason = await errand.executions
        .createAndWait({
          prompt: ${JSON.stringify(MESSAGE)},
          approval: "commits",
          signal: controller.signal,
          cancelOnAbort: true,
          onInteraction: () => controller.abort(new Error("changed my mind")),
        })
        .catch((error) => error.message);
      const [execution] = (await errand.executions.page({ limit: 1 })).executions;
      const ended = await errand.executions.get(execution.id, { waitSeconds: 30 });
      print({ reason, terminal: ended.terminal });
    `);
    expect({ reason, terminal }).toMatchObject({ reason: "changed my mind", terminal: { status: "canceled" } });
  });
});

/** Forwards everything, and cuts the first two streams of events: before their end, in the middle of an event. */
async function startCuttingProxy(target: string) {
  let cuts = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target).port), "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
    }
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      const at = chunk.indexOf("event: ");
      if (at < 0 || cuts === 2) return void client.write(chunk);
      cuts += 1;
      // The next event may be in the same chunk: what is before its end has arrived.
      const second = chunk.indexOf("data: ", chunk.indexOf("event: ", at + 1));
      client.write(chunk.subarray(0, second < 0 ? chunk.length : second), () => client.destroy());
      upstream.destroy();
    });
    upstream.on("end", () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
