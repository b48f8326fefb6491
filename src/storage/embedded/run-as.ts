import { spawnSync } from "node:child_process";

/** Under which identity PostgreSQL runs: it refuses to run as root. */
export interface RunAs {
  owner: { uid: number; gid: number } | null;
  /** The command that runs `program` under that identity. */
  command(program: string, args: string[]): Invocation;
}

interface Invocation {
  file: string;
  args: string[];
  /** None of ours: PostgreSQL has no use for our settings, and some of them are secrets. */
  env: Record<string, string>;
}

const ENV = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" };

const USER = "postgres";
// The capability to walk through any folder. The secure bit makes access(2), which PostgreSQL asks, respect it.
const WALK_ANYWHERE = [
  "--securebits=+no_setuid_fixup",
  "--inh-caps=+dac_read_search",
  "--ambient-caps=+dac_read_search",
];

/** Our own identity, or, for root, the user `postgres`, who must be able to reach each of `paths`. */
export function chooseRunAs(paths: string[]): RunAs {
  if (process.getuid?.() !== 0) {
    return { owner: null, command: (file, args) => ({ file, args, env: ENV }) };
  }
  const owner = findUser() ?? createUser();
  const plain = runAsUser(owner, []);
  if (paths.every((path) => canReach(plain, path))) return plain;
  // A checkout below /root, say: the right to walk through folders, and nothing else of root's.
  const walker = runAsUser(owner, WALK_ANYWHERE);
  if (paths.every((path) => canReach(walker, path))) return walker;
  throw new Error(
    `PostgreSQL cannot run as root, and the user "${USER}" cannot reach ${paths.find((path) => !canReach(plain, path))}. ` +
      "Set ERRAND_DATA_DIR to a folder it can reach (such as /var/lib/errand), start Errand as a normal user, or set DATABASE_URL.",
  );
}

function runAsUser(owner: { uid: number; gid: number }, capabilities: string[]): RunAs {
  const identity = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups", ...capabilities];
  return { owner, command: (program, args) => ({ file: "setpriv", args: [...identity, program, ...args], env: ENV }) };
}

function canReach(runAs: RunAs, path: string): boolean {
  const { file, args, env } = runAs.command("test", ["-x", path]);
  return spawnSync(file, args, { env }).status === 0;
}

function findUser(): { uid: number; gid: number } | null {
  const read = (option: string) => spawnSync("id", [option, USER], { encoding: "utf8" });
  const uid = read("-u");
  const gid = read("-g");
  if (uid.status !== 0 || gid.status !== 0) return null;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

function createUser(): { uid: number; gid: number } {
  const { status, stderr } = spawnSync(
    "useradd",
    ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", USER],
    {
      encoding: "utf8",
    },
  );
  const user = status === 0 ? findUser() : null;
  if (user === null) {
    throw new Error(
      `PostgreSQL cannot run as root, and no user "${USER}" could be made (${stderr?.trim() || "useradd is missing"}). ` +
        "Start Errand as a normal user, or set DATABASE_URL.",
    );
  }
  return user;
}
