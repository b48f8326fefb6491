import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { installPackages } from "../_harness/packages.ts";

/** The packages of the pages, and a folder for browsers. These tests need no database. */
export async function setup(project: TestProject) {
  await installPackages(import.meta.dirname);
  const scratchDir = await mkdtemp(join(tmpdir(), "errand-test-"));
  project.provide("scratchDir", scratchDir);
  return () => rm(scratchDir, { recursive: true, force: true });
}
