import { type HostPattern, parseHostPattern } from "../../lib/host-pattern.ts";

export function parseHostRule(text: string): HostPattern {
  const pattern = parseHostPattern(text);
  if (pattern === null) {
    throw new Error(`"${text}" is not a host: write shop.example, *.shop.example or 127.0.0.1:4010.`);
  }
  return pattern;
}
