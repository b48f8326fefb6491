import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeProgram } from "../_harness/programs.ts";

const ROOT = join(import.meta.dirname, "../..");
const INSTALL_TIMEOUT_MS = 600_000;

/** The programs of the machine: npm does not run on the pinned Node, and a user's project does not have it. */
const SYSTEM_PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

describe("the program as an npm package, in an empty project", () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "errand-package-")));
  const project = join(base, "project");
  const env = { PATH: SYSTEM_PATH, HOME: process.env.HOME ?? base, ERRAND_PORT: "0" };

  const run = (program: string, args: string[], cwd = project) =>
    promisify(execFile)(program, args, { cwd, env: { ...process.env, ...env } });

  beforeAll(async () => {
    mkdirSync(project);
    writeFileSync(join(project, "package.json"), "{}\n");
    const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", base], ROOT);
    // What builds the package may write to standard output, too.
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as { filename: string }[];
    await run("npm", ["install", join(base, packed?.filename ?? ""), "--no-audit", "--no-fund", "--prefer-offline"]);
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test("shows its help", async () => {
    const { stdout } = await run("npx", ["errand", "--help"]);
    expect(stdout).toContain("Usage: errand");
  });

  test("leaves no build in the checkout", () => {
    expect(existsSync(join(ROOT, "dist"))).toBe(false);
  });

  test("starts the service with its data in the project, and runs an errand that is verified", async () => {
    const child = spawn("npx", ["errand", "start", "--json"], { cwd: project, env, detached: true });
    try {
      const { url, demo_url } = JSON.parse(await readLine(child)) as { url: string; demo_url: string };
      expect(await (await fetch(`${url}/console`)).text()).toContain("<script");

      const prompt = "Search for kettle, open Brindle Kettle and tell me its price.";
      const { stdout } = await run("npx", ["errand", "run", prompt, "--start-url", `${demo_url}/`, "--json"]);
      expect(JSON.parse(stdout)).toMatchObject({ status: "COMPLETED", terminal: { status: "verified" } });
      expect(existsSync(join(project, "data/postgres/cluster"))).toBe(true);
    } finally {
      // npx does not pass signals on to the program.
      process.kill(-Number(child.pid), "SIGTERM");
      await once(child, "close");
    }
  });

  test("reads .env of the project", async () => {
    writeFileSync(join(project, ".env"), "ERRAND_BROWSER_PATH=/nowhere/chromium\n");
    const child = spawn("npx", ["errand", "doctor"], { cwd: project, env });
    expect(await text(child.stdout)).toContain("ERRAND_BROWSER_PATH is /nowhere/chromium");
    rmSync(join(project, ".env"));
  });

  test("says what to do where npm did not install Node", async () => {
    const folder = join(base, "without-node");
    const { stdout } = await run("npm", ["root"]);
    await run("cp", ["-r", join(stdout.trim(), "errand"), folder]);
    writeProgram(join(base, "old/node"), "#!/bin/sh\necho 20\n");

    const old = { PATH: `${join(base, "old")}${delimiter}/usr/bin${delimiter}/bin` };
    const child = spawn(join(folder, "bin/errand"), ["--help"], { cwd: project, env: old });
    expect(await text(child.stderr)).toContain("npm rebuild node");
  });
});

async function readLine(child: ChildProcess): Promise<string> {
  let stdout = "";
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const { promise: hasLine, resolve } = Promise.withResolvers<void>();
  child.stdout?.on("data", (chunk) => {
    stdout += chunk;
    if (stdout.includes("\n")) resolve();
  });
  await Promise.race([hasLine, once(child, "close")]);
  if (!stdout.includes("\n")) throw new Error(`errand start ended with ${child.exitCode}: ${stderr}`);
  return stdout;
}
