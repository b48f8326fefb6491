import { resolve, sep } from "node:path";

/** Whether npm installed this as a package of another project. Otherwise this is a checkout. */
const isPackage = import.meta.dirname.split(sep).includes("node_modules");

/**
 * `.env` and a relative data directory are resolved here: in a checkout whatever the working directory, for a package in
 * the working directory, because npm deletes the package's own folder with every update.
 */
export const PROJECT_DIR = isPackage ? process.cwd() : resolve(import.meta.dirname, "../..");

/** How people start this program. */
export const COMMAND = isPackage ? "npx errand" : "bin/errand";

export const INSTALL_BROWSER_COMMAND = isPackage
  ? "npx playwright-core install --with-deps chromium-headless-shell"
  : "scripts/bootstrap --browser";
