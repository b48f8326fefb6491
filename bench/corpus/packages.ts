import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import manifest from "./manifest.json" with { type: "json" };

/** Everything is installed below this folder, outside of the repository. Deleting it is safe. */
export const CACHE = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "errand-corpus");
export const DEBIAN_ROOT = join(CACHE, "debian");

const INSTALL_TIMEOUT_MS = 10 * 60_000;
const DEBIAN_MARKER = join(DEBIAN_ROOT, "installed.json");

/** The folder of an installed npm package. */
export function npmPackage(name: keyof typeof manifest.npm): string {
  return join(npmPrefix(name), "node_modules", name);
}

/** Where Debian's programs find the libraries that were installed with them. */
export function debianEnv(): Record<string, string> {
  const folders = globSync(["lib/*-linux-gnu", "usr/lib/*-linux-gnu"], { cwd: DEBIAN_ROOT });
  return { LD_LIBRARY_PATH: folders.map((folder) => join(DEBIAN_ROOT, folder)).join(":") };
}

/** Installs what is missing, in exactly the versions of the manifest. Needs neither root nor a package manager's database. */
export async function installPackages(onProgress: (text: string) => void): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  for (const name of Object.keys(manifest.npm) as (keyof typeof manifest.npm)[]) {
    if (existsSync(join(npmPrefix(name), "installed"))) continue;
    onProgress(`Installing ${name} ${manifest.npm[name]}`);
    await installFromNpm(name);
  }
  if ((await readFile(DEBIAN_MARKER, "utf8").catch(() => "")) === JSON.stringify(manifest.debian)) return;
  onProgress("Installing the Debian packages");
  await installFromDebian();
}

async function installFromNpm(name: keyof typeof manifest.npm): Promise<void> {
  const prefix = npmPrefix(name);
  await rm(prefix, { recursive: true, force: true });
  await mkdir(prefix, { recursive: true });
  const { overrides } = manifest;
  const wanted = { private: true, dependencies: { [name]: manifest.npm[name] }, overrides };
  await writeFile(join(prefix, "package.json"), JSON.stringify(wanted));
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], prefix);
  await writeFile(join(prefix, "installed"), "");
}

async function installFromDebian(): Promise<void> {
  await rm(DEBIAN_ROOT, { recursive: true, force: true });
  await mkdir(DEBIAN_ROOT, { recursive: true });
  const names = Object.entries(manifest.debian).map(([name, version]) => `${name}=${version}`);
  try {
    await run("apt-get", ["download", ...names], DEBIAN_ROOT);
  } catch (error) {
    const advice = "This needs Debian 12 and a current package list (apt-get update).";
    throw new Error(`apt-get could not download the packages of bench/corpus/manifest.json. ${advice}`, {
      cause: error,
    });
  }
  for (const file of globSync("*.deb", { cwd: DEBIAN_ROOT })) {
    await run("dpkg-deb", ["-x", file, "."], DEBIAN_ROOT);
    await rm(join(DEBIAN_ROOT, file));
  }
  await writeFile(DEBIAN_MARKER, JSON.stringify(manifest.debian));
}

function npmPrefix(name: keyof typeof manifest.npm): string {
  return join(CACHE, "npm", `${name}-${manifest.npm[name]}`);
}

async function run(file: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(file, args, { cwd, timeout: INSTALL_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
}
