/**
 * Prepares a release: `npm run release -- 0.3.0`.
 * Sets the version, turns "Unreleased" in CHANGELOG.md into it, commits and tags. Pushing is left to you.
 */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const UNRELEASED = "## Unreleased\n";

/** The changelog with its unreleased entries under the new version, or an error when there are none. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(UNRELEASED);
  if (start < 0) throw new Error('CHANGELOG.md has no "## Unreleased" section.');
  const body = changelog.slice(start + UNRELEASED.length);
  const entries = body.slice(0, /^## /m.exec(body)?.index ?? body.length);
  if (entries.trim() === "") throw new Error('CHANGELOG.md has nothing under "## Unreleased".');
  return `${changelog.slice(0, start)}${UNRELEASED}\n## ${version} (${date})\n${body}`;
}

/** Whether a version like 1.2.3 comes after another one. */
export function isLater(version: string, current: string): boolean {
  const [next, last] = [version, current].map((text) => text.split(".").map(Number));
  const index = next?.findIndex((part, position) => part !== last?.[position]) ?? -1;
  return index >= 0 && Number(next?.[index]) > Number(last?.[index]);
}

/** The text of a package.json or package-lock.json with another version of the project and its packages. */
export function setVersion(json: string, version: string): string {
  const content = JSON.parse(json) as { version: string; packages?: Record<string, { version?: string }> };
  content.version = version;
  for (const [path, entry] of Object.entries(content.packages ?? {})) {
    if (path === "" || path.startsWith("packages/")) entry.version = version;
  }
  return `${JSON.stringify(content, null, 2)}\n`;
}

function main([version]: string[]): void {
  const { version: current } = JSON.parse(read("package.json")) as { version: string };
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) fail("Name the new version: npm run release -- 0.3.0");
  if (!isLater(version, current)) fail(`${version} must be later than the current version, ${current}.`);
  if (git("status", "--porcelain") !== "") fail("There are uncommitted changes. Commit them first.");
  if (git("branch", "--show-current") !== "main") fail("Releases are made on main.");
  if (git("tag", "--list", `v${version}`) !== "") fail(`The tag v${version} already exists.`);

  const date = new Date().toISOString().slice(0, 10);
  write("CHANGELOG.md", releaseChangelog(read("CHANGELOG.md"), version, date));
  const manifests = globSync("packages/*/package.json", { cwd: ROOT });
  for (const file of ["package.json", "package-lock.json", ...manifests]) write(file, setVersion(read(file), version));
  execFileSync(process.execPath, ["--run", "generate"], { cwd: ROOT, stdio: "inherit" });
  git("commit", "--all", "--message", `chore(release): ${version}`);
  git("tag", "--annotate", `v${version}`, "--message", `Errand ${version}`);
  console.log(`Released ${version} locally. Publish it with: git push --follow-tags`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

function write(file: string, text: string): void {
  writeFileSync(join(ROOT, file), text);
}

if (import.meta.main) main(process.argv.slice(2));
