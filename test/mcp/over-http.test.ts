import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApi } from "../_harness/api.ts";
import { CODE_QUESTION, createAskingErrand, ORDER } from "../_harness/interactions.ts";
import { call, connectMcp, ERAS, issueMcpToken } from "../_harness/mcp.ts";
import { startTestService, type TestService } from "../_harness/service.ts";
import { failedErrand, startTestWorker, stepReport, VERIFIED } from "../_harness/worker.ts";

describe("MCP over HTTP", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const OUTPUT_SCHEMA = { type: "object", properties: { price: { type: "number" } }, required: ["price"] };

  describe.each(ERAS)("with a client of the era %s", (era) => {
    it("lists the tools, and says which of them can change something", async () => {
      const all = await connectMcp(service, await service.connect(), { era });
      const readOnly = await connectMcp(service, await service.connect({ registration: { access: "read_only" } }), {
        era,
      });
      const { tools } = await all.listTools();
      expect(tools.map(({ name }) => name)).toEqual([
        "run_errand",
        "get_errand",
        "list_errands",
        "cancel_errand",
        "answer_interaction",
      ]);
      expect(tools.every(({ outputSchema, description }) => outputSchema !== undefined && description !== "")).toBe(
        true,
      );
      expect(tools[0]?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false });
      expect((await readOnly.listTools()).tools[0]?.annotations).toMatchObject({
        destructiveHint: false,
        readOnlyHint: true,
      });
    });

    it("runs an errand with a progress notification for each step, and returns the verified result", async () => {
      await using _worker = await startTestWorker(service, {
        async runErrand({ begin, reporter }) {
          await begin();
          for (const step of [1, 2]) {
            await reporter.step(stepReport({ step, input: { label: `Button ${step}` } }));
          }
          return VERIFIED;
        },
      });
      const client = await connectMcp(service, await service.connect(), { era });
      const progress: { progress: number; message?: string | undefined }[] = [];
      const { result, output } = await call(
        client,
        "run_errand",
        { prompt: "What does the kettle cost?", start_url: "https://shop.example/", output_schema: OUTPUT_SCHEMA },
        { onprogress: (update) => progress.push(update) },
      );
      expect(result.isError).toBeFalsy();
      expect(output).toMatchObject({
        execution: { status: "COMPLETED", result: { extracted: { price: 12.5 } } },
        interaction: null,
      });
      expect(progress.map(({ message }) => message)).toEqual(
        expect.arrayContaining(['Step 1: click "Button 1"', 'Step 2: click "Button 2"']),
      );
      const numbers = progress.map((update) => update.progress);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    });

    it("cancels the execution when the client cancels the call", async () => {
      const started = Promise.withResolvers<void>();
      await using _worker = await startTestWorker(service, {
        async runErrand({ begin, signal }) {
          await begin();
          started.resolve();
          await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          return VERIFIED;
        },
      });
      const connection = await service.connect();
      const client = await connectMcp(service, connection, { era });
      const controller = new AbortController();
      const running = call(client, "run_errand", { prompt: "Wait" }, { signal: controller.signal });
      await started.promise;
      controller.abort();
      await expect(running).rejects.toThrow();
      const api = createApi(service.url, connection);
      const [{ id }] = (await api.list()).body.executions;
      const { execution } = (await api.get(id, "?wait=30")).body;
      expect(execution).toMatchObject({ status: "FAILED", terminal: { status: "canceled" } });
    });

    it("gives a client that cannot open pages the link, and lets only the person approve", async () => {
      const errand = createAskingErrand(ORDER);
      await using _worker = await startTestWorker(service, { runErrand: errand.run });
      const connection = await service.connect({ registration: { approval: "commits" } });
      const client = await connectMcp(service, connection, { era });
      const { output, text } = await call(client, "run_errand", { prompt: "Order a mug" });
      const { execution, interaction } = output;
      expect(execution.status).toBe("RUNNING");
      expect(interaction).toMatchObject({ kind: "approval", message: ORDER.message });
      expect(interaction.link).toBe(`${service.url}/i/${interaction.id}`);
      expect(text).toContain(interaction.link);
      // The link that needs no sign-in is not for the client.
      expect(JSON.stringify(output)).not.toContain("errand_il_");
      const approve = { id: execution.id, interaction_id: interaction.id, action: "approve" };
      expect((await call(client, "answer_interaction", approve)).result.isError).toBe(true);
      const answered = await call(client, "answer_interaction", { ...approve, action: "answer", text: "yes" });
      expect(answered.text).toContain(interaction.link);
      expect(errand.sent).toEqual([]);
      await createApi(service.url, connection).answer(execution.id, { id: interaction.id, action: "approve" });
      const { output: ended } = await call(client, "get_errand", { id: execution.id, wait: 30 });
      expect(ended.execution.status).toBe("COMPLETED");
      expect(errand.sent).toEqual([ORDER.message]);
    });

    it("passes the user's answer to an ordinary question on", async () => {
      const errand = createAskingErrand({ ...CODE_QUESTION, isSecret: false });
      await using _worker = await startTestWorker(service, { runErrand: errand.run });
      const connection = await service.connect({ registration: { approval: "commits" } });
      const client = await connectMcp(service, connection, { era });
      const { output } = await call(client, "run_errand", { prompt: "Sign in" });
      const answer = { id: output.execution.id, interaction_id: output.interaction.id, action: "answer", text: "blue" };
      await call(client, "answer_interaction", answer);
      await vi.waitFor(() => expect(errand.answers).toMatchObject([{ kind: "answered", text: "blue" }]));
    });

    it("does not let a secret pass through the client, but declining it", async () => {
      const errand = createAskingErrand(CODE_QUESTION);
      await using _worker = await startTestWorker(service, { runErrand: errand.run });
      const client = await connectMcp(service, await service.connect({ registration: { approval: "commits" } }), {
        era,
      });
      const { output } = await call(client, "run_errand", { prompt: "Sign in" });
      const answer = { id: output.execution.id, interaction_id: output.interaction.id };
      const refused = await call(client, "answer_interaction", { ...answer, action: "answer", text: "123456" });
      expect(refused.result.isError).toBe(true);
      expect(refused.text).toContain(output.interaction.link);
      await call(client, "answer_interaction", { ...answer, action: "decline" });
      await vi.waitFor(() => expect(errand.answers).toMatchObject([{ kind: "declined" }]));
    });
  });

  it("asks a client that can open pages, with a page that requires a sign-in, and continues the same errand", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const connection = await service.connect({ registration: { approval: "commits" } });
    const api = createApi(service.url, connection);
    const pages: { message: string; url: string }[] = [];
    const client = await connectMcp(service, connection, {
      async onPage(page) {
        pages.push(page);
        const [{ id }] = (await api.list()).body.executions;
        await api.answer(id, { id: page.url.split("/").at(-1) ?? "", action: "approve" });
        return "accept";
      },
    });
    const { output } = await call(client, "run_errand", { prompt: "Order a mug" });
    expect(output.execution.status).toBe("COMPLETED");
    expect(pages).toEqual([{ message: ORDER.message, url: expect.stringMatching(/\/i\/[0-9a-f-]{36}$/) }]);
    expect((await fetch(pages[0]?.url ?? "", { redirect: "manual" })).headers.get("location")).toContain("/sign-in");
    expect((await api.list()).body.executions).toHaveLength(1);
  });

  it("declines what the errand asks when the user does not want to open the page", async () => {
    const errand = createAskingErrand(ORDER);
    await using _worker = await startTestWorker(service, { runErrand: errand.run });
    const connection = await service.connect({ registration: { approval: "commits" } });
    const client = await connectMcp(service, connection, { onPage: async () => "decline" });
    const { result, output } = await call(client, "run_errand", { prompt: "Order a mug" });
    expect(result.isError).toBe(true);
    expect(output.execution.terminal.status).toBe("approval_declined");
    expect(errand.sent).toEqual([]);
  });

  it("asks the user to sign in again, waits for it, and then runs the errand", async () => {
    await using _worker = await startTestWorker(service, {
      async runErrand({ begin }) {
        await begin();
        return VERIFIED;
      },
    });
    const connection = await service.connect();
    const setState = (state: string) =>
      service.database.query("update connections set state = $1 where id = $2", [state, connection.connectionId]);
    await setState("REAUTHORIZATION_REQUIRED");
    const poor = await connectMcp(service, connection);
    const refused = await call(poor, "run_errand", { prompt: "Anything" });
    expect(refused.result.isError).toBe(true);
    expect(refused.text).toContain("CONNECTION_REAUTHORIZATION_REQUIRED");
    expect(refused.text).toContain(`${service.url}/v1/oauth/authorize?`);
    const urls: string[] = [];
    const client = await connectMcp(service, connection, {
      async onPage({ url }) {
        urls.push(url);
        await setState("ACTIVE");
        return "accept";
      },
    });
    const { output } = await call(client, "run_errand", { prompt: "Anything" });
    expect(output.execution.status).toBe("COMPLETED");
    expect(urls).toHaveLength(1);
    expect(refused.text).toContain(urls[0]);
  });

  it("reports a failed errand as an error, with what to do next", async () => {
    await using _worker = await startTestWorker(service, {
      async runErrand({ begin }) {
        await begin();
        return failedErrand();
      },
    });
    const client = await connectMcp(service, await service.connect());
    const { result, output, text } = await call(client, "run_errand", { prompt: "Buy a kettle" });
    expect(result.isError).toBe(true);
    expect(output.next_step).toBe("Ask for something that the shop sells.");
    expect(text).toContain("goal_unreachable");
  });

  it("has resources for executions, events and screenshots", async () => {
    await using _worker = await startTestWorker(service, {
      async runErrand({ begin, reporter }) {
        await begin();
        const data = Buffer.from([0xff, 0xd8, 0xff]);
        await reporter.saveArtifact({ kind: "screenshot", name: "page.jpg", contentType: "image/jpeg", data });
        return VERIFIED;
      },
    });
    const client = await connectMcp(service, await service.connect());
    const { output } = await call(client, "run_errand", { prompt: "Look" });
    const uri = `errand://executions/${output.execution.id}`;
    expect((await client.listResources()).resources.map((resource) => resource.uri)).toEqual([uri]);
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const [execution] = (await client.readResource({ uri })).contents;
    const { screenshots, events } = JSON.parse((execution as { text: string }).text);
    const [listed] = (await client.readResource({ uri: events })).contents;
    expect(JSON.parse((listed as { text: string }).text).events.at(-1).type).toBe("execution.completed");
    const [picture] = (await client.readResource({ uri: screenshots[0].uri })).contents;
    expect(picture).toMatchObject({ mimeType: "image/jpeg", blob: "/9j/" });
  });

  it("shows nobody another connection's errands", async () => {
    const [mine, theirs] = [await service.connect(), await service.connect()];
    const { id } = await createApi(service.url, theirs).created();
    const client = await connectMcp(service, mine);
    for (const [tool, args] of [
      ["get_errand", { id }],
      ["cancel_errand", { id }],
      ["answer_interaction", { id: id, interaction_id: id, action: "decline" }],
    ] as const) {
      const { result, text } = await call(client, tool, args);
      expect([tool, result.isError, text]).toEqual([tool, true, expect.stringContaining("EXECUTION_NOT_FOUND")]);
    }
    expect((await call(client, "list_errands", {})).output).toEqual({ executions: [], has_more: false });
    await expect(client.readResource({ uri: `errand://executions/${id}` })).rejects.toThrow(/not found/i);
    expect((await createApi(service.url, theirs).get(id)).body.execution.status).toBe("QUEUED");
  });

  it("pages through errands and refuses bad input with what is wrong", async () => {
    const connection = await service.connect();
    const api = createApi(service.url, connection);
    const ids = [(await api.created()).id, (await api.created()).id];
    const client = await connectMcp(service, connection);
    const first = (await call(client, "list_errands", { limit: 1 })).output;
    expect([first.executions[0].id, first.has_more]).toEqual([ids[1], true]);
    expect((await call(client, "list_errands", { after: ids[1] })).output.executions[0].id).toBe(ids[0]);
    expect((await call(client, "list_errands", { status: "COMPLETED" })).output.executions).toEqual([]);
    for (const [tool, args, message] of [
      ["run_errand", { prompt: " " }, "prompt"],
      ["run_errand", { prompt: "a", start_url: "file:///etc/passwd" }, "start_url"],
      ["run_errand", { prompt: "a", output_schema: { type: "nonsense" } }, "output_schema"],
      ["run_errand", { prompt: "a\u0000" }, "prompt"],
      ["list_errands", { after: "nonsense" }, "INVALID_CURSOR"],
      ["get_errand", { id: "../../etc" }, "list_errands returns the ids"],
      ["run_errand", { promt: "a" }, "prompt is required; promt is not a known field"],
      [
        "run_errand",
        { prompt: 5, approval: "always" },
        "prompt must be string; approval must be never, commits or null",
      ],
      ["get_errand", { id: "a", wait: 31 }, "wait must be <= 30"],
    ] as const) {
      const { result, text } = await call(client, tool, args);
      expect([tool, result.isError, text]).toEqual([tool, true, expect.stringContaining(message)]);
    }
  });

  describe("the endpoint", () => {
    const post = (path: string, headers: Record<string, string>, body: unknown = LIST) =>
      fetch(service.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
    const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };

    it("tells a client without a token where to get one", async () => {
      const { applicationId } = await service.connect();
      for (const path of ["/mcp", `/mcp/${applicationId}`]) {
        const response = await post(path, {});
        expect(response.status).toBe(401);
        const url = `${service.url}/.well-known/oauth-protected-resource${path}`;
        expect(response.headers.get("www-authenticate")).toContain(`resource_metadata="${url}"`);
        expect(await (await fetch(url)).json()).toMatchObject({
          resource: service.url + path,
          authorization_servers: [service.url],
        });
      }
      const root = await fetch(`${service.url}/.well-known/oauth-protected-resource`);
      expect(await root.json()).toMatchObject({ resource: `${service.url}/mcp` });
      expect((await fetch(`${service.url}/mcp`)).status).toBe(405);
      expect((await post("/mcp/nonsense", {})).status).toBe(404);
    });

    it("refuses tokens of other audiences, and its own are refused elsewhere", async () => {
      const connection = await service.connect();
      const token = await issueMcpToken(service, connection.connectionId);
      expect((await post("/mcp", { authorization: `Bearer ${token}` })).status).toBe(200);
      const wrong = await post("/mcp", { authorization: `Bearer ${connection.token}` });
      expect([wrong.status, wrong.headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringContaining("invalid_token"),
      ]);
      const { applicationId: other } = await service.connect();
      const paths = [`/mcp/${connection.applicationId}`, `/mcp/${other}`];
      const statuses = paths.map(async (path) => (await post(path, { authorization: `Bearer ${token}` })).status);
      expect(await Promise.all(statuses)).toEqual([200, 401]);
      const elsewhere = await fetch(`${service.url}/v1/applications/${connection.applicationId}/executions`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(elsewhere.status).toBe(401);
    });

    it("accepts no request of a foreign page, nor for a foreign name of this machine", async () => {
      const { connectionId } = await service.connect();
      const authorization = `Bearer ${await issueMcpToken(service, connectionId)}`;
      for (const origin of ["https://evil.example", "null", "http://127.0.0.1.evil.example"]) {
        expect([origin, (await post("/mcp", { authorization, origin })).status]).toEqual([origin, 403]);
      }
      expect((await post("/mcp", { authorization, origin: service.url })).status).toBe(200);
      const rebound = request(`${service.url}/mcp`, {
        method: "POST",
        headers: { authorization, host: "evil.example" },
      });
      const [response] = await once(rebound.end(), "response");
      expect(response.statusCode).toBe(403);
      response.destroy();
    });

    it("survives hostile bodies", async () => {
      const { connectionId } = await service.connect();
      const authorization = `Bearer ${await issueMcpToken(service, connectionId)}`;
      const state = {
        inputResponses: { page: { action: "accept" } },
        requestState: '{"kind":"follow","executionId":7}',
      };
      const bodies: unknown[] = [
        "",
        "{",
        "null",
        "[]",
        '"text"',
        { jsonrpc: "2.0" },
        { jsonrpc: "2.0", id: {}, method: 7 },
        { ...LIST, method: "__proto__" },
        Array.from({ length: 2_000 }, (_, id) => ({ ...LIST, id })),
        { ...LIST, method: "tools/call", params: { name: "run_errand", arguments: "[".repeat(50_000), ...state } },
        { ...LIST, method: "resources/read", params: { uri: `errand://executions/${"a".repeat(100_000)}` } },
        { ...LIST, method: "subscriptions/listen", params: {} },
      ];
      for (const body of bodies) {
        const response = await post("/mcp", { authorization }, body);
        expect(response.status, JSON.stringify(body).slice(0, 80)).toBeLessThan(500);
        await response.text();
      }
      expect((await post("/mcp", { authorization, "content-type": "text/plain" })).status).toBe(415);
      expect(service.log.filter((line) => line.includes('"level":"error"'))).toEqual([]);
    });
  });
});
