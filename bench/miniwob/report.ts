export interface Outcome {
  readonly kind: "success" | "failure" | "refused";
  readonly utterance: string;
  readonly note: string;
}

export interface Result extends Outcome {
  readonly task: string;
  readonly seed: number;
  readonly milliseconds: number;
}

interface Counts {
  readonly runs: number;
  readonly succeeded: number;
  readonly refused: number;
}

export interface Report {
  readonly all: Counts;
  /** Without the tasks of no listed kind. */
  readonly named: Counts;
  readonly kinds: readonly (Counts & { readonly kind: string })[];
  readonly results: readonly Result[];
}

/** Counts successes per kind and in total. A refusal is not a success. */
export function summarize(results: readonly Result[]): Report {
  const kinds = [...Object.keys(KINDS), OTHER].map((kind) => ({
    kind,
    ...count(results.filter(({ task }) => kindOf(task) === kind)),
  }));
  const named = count(results.filter(({ task }) => kindOf(task) !== OTHER));
  return { all: count(results), named, kinds, results };
}

export function formatReport({ all, named, kinds, results }: Report): string {
  const tasks = kinds.flatMap(({ kind }) => {
    const own = results.filter(({ task }) => kindOf(task) === kind);
    return [...Map.groupBy(own, ({ task }) => task)].map(([task, runs]) => formatLine(`  ${task}`, count(runs)));
  });
  return [
    "The page hides its instruction, which is the prompt, and its score. The first raw reward counts; above 0 is a success.",
    "",
    ...tasks,
    "",
    ...kinds.filter(({ runs }) => runs > 0).map(({ kind, ...counts }) => formatLine(kind, counts)),
    formatLine("all of these kinds", named),
    formatLine("all tasks", all),
    "",
  ].join("\n");
}

function count(results: readonly Result[]): Counts {
  return {
    runs: results.length,
    succeeded: results.filter(({ kind }) => kind === "success").length,
    refused: results.filter(({ kind }) => kind === "refused").length,
  };
}

function formatLine(name: string, { runs, succeeded, refused }: Counts): string {
  const share = runs === 0 ? 0 : (100 * succeeded) / runs;
  return `${name.padEnd(34)} ${String(succeeded).padStart(4)} of ${String(runs).padStart(4)}  ${share.toFixed(0).padStart(3)} %${refused > 0 ? `   refused ${refused}` : ""}`;
}

/**
 * The tasks of MiniWoB++ by kind, judged by their pages and instructions. The others need vision, arithmetic, judgement,
 * free drawing or icons without text, and count as "other".
 */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  "click by text": [
    "button-delay",
    "click-button",
    "click-button-sequence",
    "click-dialog",
    "click-dialog-2",
    "click-link",
    "click-menu",
    "click-menu-2",
    "click-pie",
    "click-pie-nodelay",
    "click-test",
    "click-test-2",
    "click-test-transfer",
    "click-widget",
    "focus-text",
    "focus-text-2",
    "unicode-test",
  ],
  "type into a field": [
    "copy-paste",
    "copy-paste-2",
    "enter-date",
    "enter-password",
    "enter-text",
    "enter-text-2",
    "enter-text-dynamic",
    "enter-time",
    "find-word",
    "login-user",
    "login-user-popup",
    "read-table",
    "read-table-2",
    "scroll-text",
    "text-transform",
    "use-autocomplete",
    "use-autocomplete-nodelay",
  ],
  "checkbox, radio": [
    "click-checkboxes",
    "click-checkboxes-large",
    "click-checkboxes-soft",
    "click-checkboxes-transfer",
    "click-option",
  ],
  "select, list": [
    "choose-date",
    "choose-date-easy",
    "choose-date-medium",
    "choose-date-nodelay",
    "choose-list",
    "click-scroll-list",
    "use-slider",
    "use-slider-2",
    "use-spinner",
  ],
  "multi-step form": [
    "book-flight",
    "book-flight-nodelay",
    "form-sequence",
    "form-sequence-2",
    "form-sequence-3",
    "sign-agreement",
  ],
  "tabs, collapsed sections": [
    "click-collapsible",
    "click-collapsible-nodelay",
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
    "click-tab",
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-medium",
    "click-tab-2-hard",
    "navigate-tree",
  ],
  search: ["multi-layouts", "multi-orderings", "phone-book", "search-engine"],
};

const OTHER = "other";

function kindOf(task: string): string {
  return Object.entries(KINDS).find(([, tasks]) => tasks.includes(task))?.[0] ?? OTHER;
}
