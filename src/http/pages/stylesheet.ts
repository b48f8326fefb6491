import { readFileSync } from "node:fs";

const PARTS = ["base.css", "card.css", "home.css", "docs.css", "live.css"];

/** The one stylesheet of all pages. */
export function readStylesheet(): string {
  return PARTS.map((name) => readFileSync(new URL(`styles/${name}`, import.meta.url), "utf8")).join("\n");
}
