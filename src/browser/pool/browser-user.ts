import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

/** As whom a browser runs, and whether Chromium confines its pages further. */
export interface BrowserIdentity {
  /** The user that a browser of root runs as; null for the current user. */
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number } | null;
  readonly hasSandbox: boolean;
}

const NAME = "errand-browser";

/** What to try, the safest first. A browser of root runs as a user without any rights, which is created if it is missing. */
export function listIdentities(executablePath: string): BrowserIdentity[] {
  if (process.getuid?.() !== 0) return [{ user: null, hasSandbox: true }];
  const user = findUser() ?? createUser();
  if (user === null || ![executablePath, tmpdir()].every((path) => canReach(user, path))) return [AS_ROOT];
  return [
    { user, hasSandbox: true },
    { user, hasSandbox: false },
  ];
}

/** Chromium refuses to use its sandbox as root. */
export const AS_ROOT: BrowserIdentity = { user: null, hasSandbox: false };

/** The program and the arguments that start `program` as this identity. */
export function toCommand({ user, hasSandbox }: BrowserIdentity, program: string, args: string[]): [string, string[]] {
  if (user === null) return [program, args];
  // Without a sandbox there is no program that needs more rights to build one.
  const rights = hasSandbox ? [] : ["--no-new-privs"];
  const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--inh-caps=-all", ...rights];
  return [SETPRIV, [...identity, program, ...args]];
}

const SETPRIV = "/usr/bin/setpriv";

type User = NonNullable<BrowserIdentity["user"]>;

function canReach(user: User, path: string): boolean {
  const [file, args] = toCommand({ user, hasSandbox: false }, "test", ["-x", path]);
  return spawnSync(file, args).status === 0;
}

function findUser(): User | null {
  const [uid, gid] = ["-u", "-g"].map((option) => spawnSync("id", [option, NAME], { encoding: "utf8" }));
  if (uid?.status !== 0 || gid?.status !== 0) return null;
  return { name: NAME, uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/** Null where users cannot be created, such as in a read-only container. */
function createUser(): User | null {
  const options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
  spawnSync("useradd", [...options, NAME]);
  return findUser();
}
