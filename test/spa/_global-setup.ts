import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, readlink, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestProject } from "vitest/node";

const FOLDER = import.meta.dirname;
/** Says which lock file the installed packages are from. Gone with them, because it is in their folder. */
const STAMP = join(FOLDER, "node_modules/.errand-installed");

/** Not in the folder that npm replaces. */
const LOCK = join(FOLDER, "../../node_modules/.errand-spa-lock");

/** The packages of the pages, and a folder for browsers. These tests need no database. */
export async function setup(project: TestProject) {
  await installPackages();
  const scratchDir = await mkdtemp(join(tmpdir(), "errand-test-"));
  project.provide("scratchDir", scratchDir);
  return () => rm(scratchDir, { recursive: true, force: true });
}

/** Installs the packages in package-lock.json once. Two test runs at the same time wait for each other. */
async function installPackages(): Promise<void> {
  const wanted = await hashOfLockFile();
  if ((await readIfThere(STAMP)) === wanted) return;
  const release = await takeLock(LOCK);
  try {
    if ((await readIfThere(STAMP)) === wanted) return;
    process.stderr.write("Installing the packages of test/spa with npm. This takes about a minute.\n");
    await runNpm();
    await writeFile(STAMP, wanted);
  } finally {
    await release();
  }
}

async function hashOfLockFile(): Promise<string> {
  const lockFile = await readFile(join(FOLDER, "package-lock.json"));
  return createHash("sha256").update(`${process.platform} ${process.arch} `).update(lockFile).digest("hex");
}

async function runNpm(): Promise<void> {
  // As in scripts/bootstrap: npm runs on its own Node, not on the pinned one.
  const paths = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-progress", "--no-update-notifier", "--loglevel=error"];
  const env = { ...process.env, PATH: paths.join(delimiter) };
  const child = spawn("npm", args, { cwd: FOLDER, env, stdio: ["ignore", "ignore", "inherit"] });
  const beat = setInterval(() => process.stderr.write("Still installing.\n"), 10_000);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("error", reject);
  child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm ci in test/spa failed (${code}).`))));
  await promise.finally(() => clearInterval(beat));
}

/** A symlink to the process ID of its owner, as in scripts/bootstrap: it is created with its owner in one step. */
async function takeLock(path: string): Promise<() => Promise<void>> {
  for (;;) {
    const isTaken = await symlink(`${process.pid}`, path).then(
      () => false,
      () => true,
    );
    if (!isTaken) return () => unlink(path);
    const owner = Number(await readlink(path).catch(() => "0"));
    if (owner > 0 && !isAlive(owner)) await unlink(path).catch(() => {});
    await delay(200);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
