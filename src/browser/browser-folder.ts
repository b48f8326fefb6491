import { chmod, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of one browser: profile, downloads and temporary files, so that removing it removes all it has written. */
export interface BrowserFolder extends AsyncDisposable {
  readonly path: string;
  readonly profile: string;
  readonly downloads: string;
  readonly temporary: string;
}

/** The name says whose it is: this machine's (temporary folders may be shared), and of which process. */
const PREFIX = `errand-browser-${hostname().replaceAll(/[^a-z0-9.]/gi, "_")}-`;

export async function createBrowserFolder(): Promise<BrowserFolder> {
  const path = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
  const folder = {
    path,
    profile: join(path, "profile"),
    downloads: join(path, "downloads"),
    temporary: join(path, "tmp"),
    [Symbol.asyncDispose]: () => removeFolder(path),
  };
  for (const inner of [folder.profile, folder.downloads, folder.temporary]) await mkdir(inner, { mode: 0o700 });
  return folder;
}

/** A service that was killed could not tidy up: its successor does. Its browsers end by themselves. */
export async function removeLeftFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = (name.startsWith(PREFIX) && /^(\d+)-/.exec(name.slice(PREFIX.length))) || [];
    if (pid !== undefined && !isRunning(Number(pid))) await removeFolder(join(tmpdir(), name));
  }
}

async function removeFolder(path: string): Promise<void> {
  await chmod(path, 0o700).catch(() => {});
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
