import type { ModelRequest } from "../../test/_harness/model-request.ts";

/** An element as the model reads it in the text of a page. */
export interface ShownTarget {
  ref: string;
  role: string;
  name: string;
}

export interface Where {
  role?: string;
  /** Of several with the same name: the one in the line that has this text, or else the first one below that line. */
  near?: string;
}

const TARGET = /((?:f\d+)?[ec]\d+) (?:([a-z]+) )?"([^"]*)"/g;
const LINE_WITH_REF = /^\s*(?:-\s)?((?:f\d+)?[ec]\d+) (.*)$/;

/** One request of the planner: what the model is shown, and nothing else. */
export class ShownPage {
  /** Everything that is new in this request. */
  readonly text: string;
  readonly actions: readonly string[];

  constructor(request: ModelRequest) {
    this.text = request.messages.at(-1)?.text ?? "";
    this.actions = request.actions;
  }

  get page(): string {
    return this.#block("The page now");
  }

  /** What the last actions did, with what they have read or found. */
  get result(): string {
    return this.#block("What you did last, and the result");
  }

  get objection(): string {
    return this.#block("What the verifier found");
  }

  /** The harness' own words behind the page: what it did not accept, and why. */
  get remarks(): string {
    return (
      this.text
        .split(/<\/data-[^>]+>/)
        .at(-1)
        ?.trim() ?? ""
    );
  }

  includes(text: string): boolean {
    return [this.page, withoutCalls(this.result)].some((shown) =>
      withoutNotation(shown).includes(withoutNotation(text)),
    );
  }

  /** An empty name stands for any. Null if it is not shown, or has no ref. Throws if it is not clear which one is meant. */
  findTarget(name: string, where: Where = {}): ShownTarget | null {
    return chooseTarget(this.page, name, where);
  }

  /** The same among the lines that `find` has returned. */
  findFoundTarget(name: string, where: Where = {}): ShownTarget | null {
    return chooseTarget(this.result, name, where);
  }

  #block(title: string): string {
    return new RegExp(`^${title}:\\n<data-[^>]+>\\n([\\s\\S]*?)\\n</data-`, "m").exec(this.text)?.[1] ?? "";
  }
}

function chooseTarget(text: string, name: string, { role, near }: Where): ShownTarget | null {
  const lines = text.split("\n");
  const all = lines.flatMap((line, index) => targetsIn(line).map((target) => ({ ...target, line, index })));
  const ofRole = all.filter((target) => role === undefined || target.role === role);
  const wanted = fold(name);
  const exact = ofRole.filter((target) => wanted === "" || fold(target.name) === wanted);
  const containing = ofRole.filter((target) => fold(target.name).includes(wanted));
  const candidates = exact.length > 0 ? exact : containing;
  if (near !== undefined) {
    const at = lines.findIndex((line) => fold(line).includes(fold(near)));
    if (at === -1) return null;
    return candidates.find(({ index }) => index === at) ?? candidates.find(({ index }) => index > at) ?? null;
  }
  const refs = new Set(candidates.map(({ ref }) => ref));
  if (refs.size > 1) throw new Error(`ambiguous: ${refs.size} × ${role ?? "target"} "${name}"`);
  return candidates[0] ?? null;
}

function targetsIn(line: string): ShownTarget[] {
  const named = [...line.matchAll(TARGET)].map(([, ref = "", role = "", name = ""]) => ({ ref, role, name }));
  if (named.length > 0) return named;
  // A row or an item that is a target as a whole, or a target without a name.
  const [, ref, rest = ""] = LINE_WITH_REF.exec(line) ?? [];
  if (ref === undefined) return [];
  const [, role = ""] = /^([a-z]+)(?: [=[(]|$)/.exec(rest) ?? [];
  return [{ ref, role, name: role === "" ? rest.replace(/^[|-] /, "") : "" }];
}

/** Without the lines that repeat what the model itself has said, also to say that no page has it. */
function withoutCalls(result: string): string {
  const lines = result.split("\n");
  const isCall = (line: string) => /^(?:[a-z_]+ (?:"|\()|Nothing on the page matches ")/.test(line);
  return lines.filter((line, index) => !isCall(line) && !/ failed \([a-z_]+\)/.test(lines[index - 1] ?? "")).join("\n");
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

/** Page texts are shown with refs, braces, bars and quotation marks between them. */
function withoutNotation(text: string): string {
  return fold(text.replace(/(?:f\d+)?[ec]\d+ |[{}|"#]/g, " "));
}
