import { type Document, isScalar, Lexer, LineCounter, parseDocument, visit } from "yaml";

/** Not YAML that is accepted here. The message is a clause without a full stop. */
export class InvalidYaml extends Error {
  override readonly name = "InvalidYaml";
  /** From 1. */
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

export interface Yaml {
  readonly data: unknown;
  readonly document: Document;
  /** The line of an offset in the text, from 1. */
  lineAt(offset: number): number;
}

const MAX_BRACKETS = 100;

/**
 * Reads YAML or JSON, which is YAML too, from somebody who may want to keep this process busy. Aliases are refused: a few lines
 * of them can stand for more than any memory. `maxTokens` counts keys, values, punctuation, spaces and line breaks; a
 * thousand take about 5 ms. Throws InvalidYaml.
 */
export function parseYaml(text: string, { maxTokens }: { maxTokens: number }): Yaml {
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line;
  checkSize(text, maxTokens);
  // Comparing each key with all others takes too long, so it is done below.
  const document = parseDocument(text, { lineCounter: counter, uniqueKeys: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined)
    throw new InvalidYaml(error.message.split(/ at line|\n/)[0]?.replace(/[.:]$/, "") ?? "", lineAt(error.pos[0]));
  const repeatedAt = findRepeatedKey(document);
  if (repeatedAt !== null) throw new InvalidYaml("Map keys must be unique", lineAt(repeatedAt));
  try {
    return { data: document.toJS({ maxAliasCount: 0 }) as unknown, document, lineAt };
  } catch (reason) {
    throw new InvalidYaml(reason instanceof Error ? reason.message : String(reason), 1);
  }
}

function checkSize(text: string, maxTokens: number): void {
  let tokens = 0;
  let depth = 0;
  let line = 1;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token.includes("\n")) line += token.split("\n").length - 1;
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (tokens > maxTokens) throw new InvalidYaml("There are too many keys and values", line);
    if (depth > MAX_BRACKETS) throw new InvalidYaml("There are too many brackets inside brackets", line);
  }
}

/** The offset of a key that its map has twice; null if there is none. */
function findRepeatedKey(document: Document): number | null {
  let repeatedAt: number | null = null;
  visit(document, {
    Map(_, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          repeatedAt = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return repeatedAt;
}
