import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ensureDirectory } from "../../lib/ensure-directory.ts";
import { findPostgresBinaries, type PostgresBinaries } from "./binaries.ts";
import { chooseRunAs, type RunAs } from "./run-as.ts";

/** A database cluster on disk, ready to be served. */
export interface Cluster {
  dir: string;
  password: string;
  binaries: PostgresBinaries;
  runAs: RunAs;
}

export const DATABASE = "errand";
/** Not the superuser: whoever gets hold of this connection reaches no file and runs no program. */
export const ROLE = "errand";

/** Finds the cluster in the data directory, or makes it. Two processes may try at once. */
export async function prepareCluster(dataDir: string, onProgress: (message: string) => void): Promise<Cluster> {
  const home = join(dataDir, "postgres");
  ensureDirectory(home);
  const binaries = await findPostgresBinaries();
  const runAs = chooseRunAs([home, binaries.postgres]);
  if (runAs.owner !== null) await chown(home, runAs.owner.uid, runAs.owner.gid);
  await chmod(home, 0o700);
  const dir = join(home, "cluster");
  if (!existsSync(dir)) {
    onProgress("Preparing the database (first start only)");
    await createCluster(home, dir, binaries, runAs);
  }
  return { dir, password: (await readFile(passwordFile(dir), "utf8")).trim(), binaries, runAs };
}

/** Made aside and renamed into place, so that a cluster is either whole or absent. */
async function createCluster(home: string, dir: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  const draft = `${dir}.${process.pid}`;
  const superuserPasswordFile = `${draft}.password`;
  try {
    await writeOwned(superuserPasswordFile, randomBytes(24).toString("base64url"), runAs);
    await run(runAs, home, binaries.initdb, [
      `--pgdata=${draft}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      `--pwfile=${superuserPasswordFile}`,
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
    ]);
    const password = randomBytes(24).toString("base64url");
    await run(
      runAs,
      home,
      binaries.postgres,
      ["--single", "-D", draft, "postgres"],
      [`create role ${ROLE} login password '${password}'`, `create database ${DATABASE} owner ${ROLE}`],
    );
    await writeOwned(passwordFile(draft), password, runAs);
    await rename(draft, dir);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(dir)) throw error;
  } finally {
    await rm(superuserPasswordFile, { force: true });
  }
}

function passwordFile(dir: string): string {
  return join(dir, "errand.password");
}

/** Made anew or not at all, and given away by its handle: a link that somebody put there is not followed. */
async function writeOwned(path: string, text: string, { owner }: RunAs): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(`${text}\n`);
  if (owner !== null) await file.chown(owner.uid, owner.gid);
}

function run(
  runAs: RunAs,
  cwd: string,
  program: string,
  programArgs: string[],
  statements: string[] = [],
): Promise<void> {
  const { file, args, env } = runAs.command(program, programArgs);
  const child = spawn(file, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  child.stdin.end(statements.map((statement) => `${statement}\n`).join(""));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      // Single-user mode exits with 0 even when a statement failed.
      if (code === 0 && !/^.*(ERROR|FATAL|PANIC):/m.test(output)) resolve();
      else reject(new Error(`${program.split("/").at(-1)} failed (exit code ${code}): ${output.trim().slice(-2_000)}`));
    });
  });
}
