import { type Document, isScalar, Lexer, LineCounter, type Node, parseDocument, visit, type YAMLError } from "yaml";

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

/** Keys, values, punctuation, spaces and line breaks. A thousand take up to 8 ms. */
const MAX_TOKENS = 12_000;
const MAX_BRACKETS = 100;
/** What the lists and maps of a line are indented by. "- - a" counts as well. */
const MAX_INDENTATION = 200;
const INDENTATION = /^(?:[ \t]|[-?](?=[ \t]))*/;

/**
 * Reads YAML or JSON, which is YAML too, from somebody who may want to keep this process busy. Aliases are refused: a few lines
 * of them can stand for more than any memory. So are keys that are maps or lists: turning nested ones into text takes hours.
 * Throws InvalidYaml.
 */
export function parseYaml(text: string): Yaml {
  checkNesting(text);
  checkSize(text);
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line;
  const document = withoutStackTraces(() =>
    // Comparing each key with all others takes too long, so it is done below.
    parseDocument(text, {
      lineCounter: counter,
      stringKeys: true,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "error",
    }),
  );
  const [error] = document.errors;
  if (error !== undefined) throw new InvalidYaml(describe(error), lineAt(error.pos[0]));
  const refused = findRefused(document);
  if (refused !== null) throw new InvalidYaml(refused.message, lineAt(refused.offset));
  return { data: document.toJS({ maxAliasCount: 0 }) as unknown, document, lineAt };
}

function checkNesting(text: string): void {
  const at = text.split("\n").findIndex((line) => (INDENTATION.exec(line)?.[0].length ?? 0) > MAX_INDENTATION);
  if (at !== -1) throw new InvalidYaml("the indentation is too deep", at + 1);
}

function checkSize(text: string): void {
  let tokens = 0;
  let depth = 0;
  let line = 1;
  for (const token of new Lexer().lex(text)) {
    tokens += 1;
    if (token.includes("\n")) line += token.split("\n").length - 1;
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (tokens > MAX_TOKENS) throw new InvalidYaml("there are too many keys and values", line);
    if (depth > MAX_BRACKETS) throw new InvalidYaml("the brackets are nested too deeply", line);
    if (depth < 0) throw new InvalidYaml(`"${token}" closes nothing`, line);
  }
}

/** A text can have thousands of errors, and a stack trace for each would take most of the time. */
function withoutStackTraces<Result>(work: () => Result): Result {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function describe({ code, message }: YAMLError): string {
  if (code === "MULTIPLE_DOCS") return "there is more than one document";
  const [clause = ""] = message.split("\n");
  return clause.replace(/[.:]$/, "");
}

/** The first alias, or key that its map has twice. */
function findRefused(document: Document): { message: string; offset: number } | null {
  let refused: { message: string; offset: number } | null = null;
  const refuse = (message: string, node: Node) => {
    refused = { message, offset: node.range?.[0] ?? 0 };
    return visit.BREAK;
  };
  visit(document, {
    Alias: (_, alias) => refuse(`aliases (*${alias.source.slice(0, 40)}) are not allowed`, alias),
    Map(_, { items }) {
      const repeated = findRepeatedKey(items.map(({ key }) => key));
      return repeated === null ? undefined : refuse("map keys must be unique", repeated);
    },
  });
  return refused;
}

function findRepeatedKey(keys: readonly unknown[]): Node | null {
  const known = new Set<string>();
  for (const key of keys) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (known.has(name)) return key;
    known.add(name);
  }
  return null;
}
