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

/** What the prompts run on: applications for the path without a model, or single-page applications with a scripted model. */
export type ApplicationSet = "steps" | "spa";

type NpmName = keyof typeof VERSIONS;

const VERSIONS = { ...manifest.npm, ...manifest.spa };

/** The folder of an installed npm package. */
export function npmPackage(name: NpmName): string {
  return join(npmPrefix(name), "node_modules", name);
}

/** Where Debian's programs find the libraries that were installed with them. */
export function debianEnv(): Record<string, string> {
  const folders = globSync(["lib/*-linux-gnu", "usr/lib/*-linux-gnu"], { cwd: DEBIAN_ROOT });
  return { LD_LIBRARY_PATH: folders.map((folder) => join(DEBIAN_ROOT, folder)).join(":") };
}

/** Installs what is missing, in exactly the versions of the manifest. Needs neither root nor a package manager's database. */
export async function installPackages(set: ApplicationSet, onProgress: (text: string) => void): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  for (const name of Object.keys(set === "spa" ? manifest.spa : manifest.npm) as NpmName[]) {
    if (existsSync(join(npmPrefix(name), "installed"))) continue;
    onProgress(`Installing ${name} ${VERSIONS[name]}`);
    await installFromNpm(name);
  }
  if (set === "spa") return;
  if ((await readFile(DEBIAN_MARKER, "utf8").catch(() => "")) === JSON.stringify(manifest.debian)) return;
  onProgress("Installing the Debian packages");
  await installFromDebian();
}

async function installFromNpm(name: NpmName): Promise<void> {
  const prefix = npmPrefix(name);
  await rm(prefix, { recursive: true, force: true });
  await mkdir(prefix, { recursive: true });
  const { overrides } = manifest;
  const wanted = { private: true, dependencies: { [name]: VERSIONS[name] }, overrides };
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

function npmPrefix(name: NpmName): string {
  return join(CACHE, "npm", `${name}-${VERSIONS[name]}`);
}

async function run(file: string, args: string[], cwd: string): Promise<void> {
  await promisify(execFile)(file, args, { cwd, timeout: INSTALL_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 });
}
