import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile, readlink, symlink, unlink, writeFile } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Installs the packages in the folder's package-lock.json once: packages that only some tests need are not part of the main
 * installation. Two test runs at the same time wait for each other.
 */
export async function installPackages(folder: string): Promise<void> {
  // Says which lock file the installed packages are from. Gone with them, because it is in their folder.
  const stamp = join(folder, "node_modules/.errand-installed");
  const wanted = await hashOfLockFile(folder);
  if ((await readIfThere(stamp)) === wanted) return;
  // Not in the folder that npm replaces.
  const release = await takeLock(join(import.meta.dirname, `../../node_modules/.errand-${basename(folder)}-lock`));
  try {
    if ((await readIfThere(stamp)) === wanted) return;
    process.stderr.write(`Installing the packages of ${basename(folder)} with npm. This takes about a minute.\n`);
    await runNpm(folder);
    await writeFile(stamp, wanted);
  } finally {
    await release();
  }
}

async function hashOfLockFile(folder: string): Promise<string> {
  const lockFile = await readFile(join(folder, "package-lock.json"));
  return createHash("sha256").update(`${process.platform} ${process.arch} `).update(lockFile).digest("hex");
}

async function runNpm(folder: string): Promise<void> {
  // As in scripts/bootstrap: npm runs on its own Node, not on the pinned one.
  const paths = (process.env.PATH ?? "").split(delimiter).filter((path) => !path.includes("node_modules"));
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-progress", "--no-update-notifier", "--loglevel=error"];
  const env = { ...process.env, PATH: paths.join(delimiter) };
  const child = spawn("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  const beat = setInterval(() => process.stderr.write("Still installing.\n"), 10_000);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("error", reject);
  child.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`npm ci in ${folder} failed (${code}).`))));
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
