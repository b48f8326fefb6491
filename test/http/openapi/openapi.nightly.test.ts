import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installPackages } from "../../_harness/packages.ts";
import { startTestService, type TestConnection, type TestService } from "../../_harness/service.ts";
import { startTestWorker, stepReport, VERIFIED } from "../../_harness/worker.ts";

const FOLDER = import.meta.dirname;
const DOCUMENT = join(FOLDER, "../../../docs/openapi.json");
const run = promisify(execFile);

/** Runs one of the installed tools. */
async function tool(name: string, args: string[], cwd = FOLDER): Promise<string> {
  const env = { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  try {
    const { stdout, stderr } = await run(join(FOLDER, "node_modules/.bin", name), args, { cwd, env });
    return stdout + stderr;
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${name} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

describe("the OpenAPI document", () => {
  let disposables: AsyncDisposableStack;
  let service: TestService;
  let connection: TestConnection;
  let folder: string;

  beforeAll(async () => {
    disposables = new AsyncDisposableStack();
    await installPackages(FOLDER);
    folder = await mkdtemp(join(tmpdir(), "errand-openapi-"));
    disposables.defer(() => rm(folder, { recursive: true }));
    await cp(join(FOLDER, "consumers"), folder, { recursive: true });
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    service = disposables.use(await startTestService());
    connection = await service.connect();
    disposables.use(
      await startTestWorker(service, {
        async runErrand({ reporter }) {
          await reporter.step(stepReport({ action: "click" }));
          return VERIFIED;
        },
      }),
    );
  });
  afterAll(() => disposables.disposeAsync());

  it("passes Redocly's recommended rules without an error or a warning", async () => {
    expect(await tool("redocly", ["lint", "--extends=recommended", DOCUMENT])).toContain(
      "Your API description is valid",
    );
  });

  it("passes Spectral's rules for OpenAPI without a result", async () => {
    const ruleset = join(folder, "spectral.yaml");
    await writeFile(ruleset, "extends: ['spectral:oas']\n");
    const output = await tool("spectral", ["lint", "--ruleset", ruleset, "--fail-severity=hint", DOCUMENT]);
    expect(output).toContain("No results with a severity of 'hint' or higher found!");
  });

  /** Compiles a consumer strictly, with everything it imports, and runs it against the service. */
  async function compileAndRun(name: string): Promise<unknown> {
    const configuration = { extends: "./tsconfig.json", files: [`${name}.ts`] };
    await writeFile(join(folder, `${name}.json`), JSON.stringify(configuration));
    await tool("tsc", ["--project", `${name}.json`], folder);
    const { url } = service;
    const env = { ...process.env, ERRAND_URL: url, APPLICATION_ID: connection.applicationId, TOKEN: connection.token };
    const { stdout } = await run(process.execPath, [join(folder, "built", `${name}.js`)], { env });
    return JSON.parse(stdout);
  }

  it("gives openapi-typescript types that compile and fit the responses", async () => {
    await tool("openapi-typescript", [DOCUMENT, "--output", join(folder, "api.ts")]);
    expect(await compileAndRun("types")).toEqual({
      created: "QUEUED",
      ended: "It costs 12.50.",
      listed: true,
      events: ["execution.queued", "execution.started", "step 1: click", "verified"],
    });
  });

  it("gives hey-api a client that compiles and works", async () => {
    await tool("openapi-ts", ["--input", DOCUMENT, "--output", join(folder, "client")], folder);
    expect(await compileAndRun("hey-api")).toEqual({
      created: "QUEUED",
      ended: "It costs 12.50.",
      listed: true,
      refused: "EXECUTION_NOT_FOUND",
      actions: ["click"],
      streamed: ["execution.queued", "execution.started", "step", "execution.completed"],
    });
  });
});
