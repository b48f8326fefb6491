import { globSync } from "node:fs";
import { join } from "node:path";
import type { Command, Stage } from "./application.ts";
import { DEBIAN_ROOT, debianEnv } from "./packages.ts";

const EXTENSIONS = ["ctype", "iconv", "mbstring", "pdo", "sqlite3", "pdo_sqlite", "xml", "dom", "simplexml"];

/** PHP's own web server for a folder with PHP files. Sessions are kept in the data, so that they are put back as well. */
export function phpServer({ folder, port }: Stage, root: string, settings: Record<string, string> = {}): Command {
  const [extensions = ""] = globSync("usr/lib/php/20*", { cwd: DEBIAN_ROOT });
  const all = {
    extension_dir: join(DEBIAN_ROOT, extensions),
    "session.save_path": folder,
    "date.timezone": "UTC",
    ...settings,
  };
  return {
    file: join(DEBIAN_ROOT, "usr/bin/php8.2"),
    args: [
      "-n",
      ...Object.entries(all).flatMap(([name, value]) => ["-d", `${name}=${value}`]),
      ...EXTENSIONS.flatMap((name) => ["-d", `extension=${name}`]),
      ...["-S", `127.0.0.1:${port}`, "-t", root],
    ],
    // A page may load parts of itself while another request is still running.
    env: { ...debianEnv(), PHP_CLI_SERVER_WORKERS: "3" },
  };
}
