import { join } from "node:path";
import { SETTINGS } from "../src/config/settings.ts";
import { writeOrCheck } from "./check-generated.ts";

const rows = Object.values(SETTINGS).map(
  ({ env, type, fallback, about }) => `| \`${env}\` | ${type.describe} | ${describeFallback(fallback)} | ${about} |`,
);

writeOrCheck(
  join(import.meta.dirname, "../docs/configuration.md"),
  `# Configuration

<!-- Generated from src/config/settings.ts by "npm run generate". Edit that file instead. -->

Settings are environment variables. A file \`.env\` in the project folder is read as well; environment variables win over it.
An empty variable counts as unset. Errand checks all settings before it starts anything, and reports every invalid one by name.

| Variable | Value | Default | What it does |
| --- | --- | --- | --- |
${rows.join("\n")}
`,
);

function describeFallback(fallback: string | null): string {
  if (fallback === null) return "–";
  return fallback === "" ? "none" : `\`${fallback}\``;
}
