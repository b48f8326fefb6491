import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, provide, ROOT } from "./_project.ts";

const PROGRAM = `
import { Errand, ErrandError, ExecutionFailed, ReauthorizationRequired, verifyWebhook } from "@errand/sdk";
import { z } from "zod";

const errand = new Errand({ baseUrl: "http://127.0.0.1:8787", applicationId: "app", accessToken: "token" });

export async function readPrice(): Promise<number> {
  try {
    const execution = await errand.executions.createAndWait({
      prompt: "Tell me the price.",
      output: z.object({ price: z.number() }),
      onStep: ({ data }) => console.log(data.action),
      onInteraction: ({ kind }) => (kind === "approval" ? { action: "approve" } : undefined),
      signal: AbortSignal.timeout(60_000),
    });
    const status: "COMPLETED" = execution.status;
    // @ts-expect-error: a number is no string
    const wrong: string = execution.result.extracted.price;
    return execution.result.extracted.price + status.length + wrong.length;
  } catch (error) {
    if (error instanceof ExecutionFailed && error.terminal.status === "blocked") console.log(error.evidence?.side_effects);
    if (error instanceof ReauthorizationRequired) console.log(error.authorization?.url);
    // @ts-expect-error: there is no such status
    if (error instanceof ExecutionFailed && error.terminal.status === "bloked") console.log(error.error.code);
    throw error instanceof ErrandError ? error : new Error("other");
  }
}

export async function receive(request: Request): Promise<string> {
  const message = await verifyWebhook(await request.text(), request.headers, "whsec_");
  switch (message.type) {
    case "execution.completed":
      return message.data.execution.result.final_text;
    case "execution.failed":
      return message.data.execution.terminal.status;
    case "execution.interaction_required":
      return message.data.interaction.message;
    case "connection.reauthorization_required":
      return message.data.connection_id;
    case "credits.low":
      return String(message.data.balance);
    case "ping":
      return message.data.webhook_id;
  }
}

export async function list(): Promise<void> {
  for await (const execution of errand.executions.list({ limit: 50 })) {
    if (execution.status === "FAILED") console.log(execution.error.message);
  }
  for await (const event of errand.executions.events("id")) {
    if (event.type === "step") console.log(event.data.action, event.data.url);
  }
}
`;

describe("the package of the SDK, in an empty project", () => {
  let project: Project;
  beforeAll(async () => {
    project = await createProject();
    provide(project, "zod");
  });
  afterAll(() => project[Symbol.dispose]());

  it("has only what is needed to run it", async () => {
    const { stdout } = await promisify(execFile)("tar", ["-tzf", project.tarball]);
    const folders = new Set(
      stdout
        .trim()
        .split("\n")
        .map((path) => path.replace(/^(package\/(?:dist\/)?).*?(\.d\.ts|\.js)?$/, "$1*$2")),
    );
    expect([...folders].sort()).toEqual(["package/*", "package/dist/*.d.ts", "package/dist/*.js"]);
    expect(stdout).toContain("package/LICENSE");
    expect(stdout).toContain("package/README.md");
  });

  it("can be imported by the machine's Node", async () => {
    project.write(
      "import.js",
      'import * as sdk from "@errand/sdk"; console.log(typeof sdk.Errand, typeof sdk.verifyWebhook);',
    );
    expect(await project.run("import.js")).toBe("function function\n");
  });

  it.each([
    ["Node", { module: "nodenext", lib: ["es2022", "DOM"] }],
    ["a bundler", { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "DOM"] }],
  ])("has types that compile for %s, and know each status, event and message", async (_, options) => {
    project.write("program.ts", PROGRAM);
    const compilerOptions = {
      target: "es2022",
      strict: true,
      noEmit: true,
      types: [],
      exactOptionalPropertyTypes: true,
      ...options,
    };
    project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const compiled = await promisify(execFile)(join(ROOT, "node_modules/.bin/tsc"), ["-p", project.folder]).catch(
      (error) => error,
    );
    expect(compiled.stdout).toBe("");
  });
});
