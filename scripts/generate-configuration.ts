import { join } from "node:path";
import { SETTINGS } from "../src/config/settings.ts";
import { writeOrCheck } from "./check-generated.ts";

const rows = Object.values(SETTINGS).map(
  ({ env, type, fallback, about }) => `| \`${env}\` | ${type.describe} | ${describeFallback(fallback)} | ${about} |`,
);

writeOrCheck(
  join(import.meta.dirname, "../docs/configuration.md"),
  `# Configuration

<!-- Generated from src/config/settings.ts by "npm run generate": change it there. -->

Settings come from the environment. A file \`.env\` in the project's folder is read too; real variables win over it.
An empty variable counts as absent. All mistakes are reported at once, by name, before anything opens.

| Variable | Value | Default | What it does |
| --- | --- | --- | --- |
${rows.join("\n")}
`,
);

function describeFallback(fallback: string | null): string {
  if (fallback === null) return "see there";
  return fallback === "" ? "none" : `\`${fallback}\``;
}
