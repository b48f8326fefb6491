import { type ChildProcess, execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

export const ROOT = join(import.meta.dirname, "../..");

/** The programs of the machine: a developer's project does not have the pinned Node. */
const SYSTEM_PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** A developer's empty folder, with the SDK installed from its package. */
export interface Project extends Disposable {
  folder: string;
  tarball: string;
  write(name: string, text: string): string;
  /** Runs a program with the machine's Node, and returns what it prints. */
  run(name: string, env?: Record<string, string>): Promise<string>;
  /** Starts a TypeScript program with the pinned Node, and waits until it says that it is ready. */
  start(name: string, env: Record<string, string>): Promise<RunningProgram>;
}

export interface RunningProgram extends AsyncDisposable {
  output(): string;
}

/** `example`: a folder of examples/ whose files are copied. */
export async function createProject(example?: string): Promise<Project> {
  const base = mkdtempSync(join(tmpdir(), "errand-sdk-"));
  const folder = join(base, "project");
  mkdirSync(folder);
  if (example === undefined) writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  else
    cpSync(join(ROOT, "examples", example), folder, {
      recursive: true,
      filter: (path) => !path.includes("node_modules"),
    });
  const tarball = await packSdk(base);
  await npm(folder, ["install", tarball, "--no-audit", "--no-fund"]);

  return {
    folder,
    tarball,
    write(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    async run(name, env = {}) {
      const { stdout } = await promisify(execFile)("node", [name], { cwd: folder, env: { PATH: SYSTEM_PATH, ...env } });
      return stdout;
    },
    start: (name, env) => startProgram(folder, name, env),
    [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
  };
}

/** As docs/integrating.md says. In a copy of what it needs, because several tests pack at the same time. */
async function packSdk(base: string): Promise<string> {
  const checkout = join(base, "checkout");
  for (const path of ["package.json", "tsconfig.json", "packages/sdk"]) {
    cpSync(join(ROOT, path), join(checkout, path), { recursive: true, filter: (file) => !file.endsWith("dist") });
  }
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  const [packed] = JSON.parse(await npm(checkout, ["pack", "--workspace", "@errand/sdk", "--json"])) as {
    filename: string;
  }[];
  return join(checkout, packed?.filename ?? "");
}

/** Makes a package of this project available, as if the developer had installed it. */
export function provide({ folder }: Project, name: string): void {
  symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
}

async function npm(cwd: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", args, { cwd, env: { ...process.env, PATH: SYSTEM_PATH } });
  return stdout;
}

async function startProgram(folder: string, name: string, env: Record<string, string>): Promise<RunningProgram> {
  const child = spawn(process.execPath, [name], {
    cwd: folder,
    env: { PATH: SYSTEM_PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const { promise: isReady, resolve, reject } = Promise.withResolvers<void>();
  const read = (chunk: Buffer) => {
    output += chunk;
    if (/^(?:Open|Waiting for webhooks on) /m.test(output)) resolve();
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.on("close", (code) => reject(new Error(`${name} ended with ${code}: ${output}`)));
  await isReady;
  return { output: () => output, [Symbol.asyncDispose]: () => end(child) };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.on("close", () => resolve());
    child.kill();
  });
}
