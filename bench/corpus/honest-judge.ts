import type { ModelRequest } from "../../test/_harness/model-request.ts";

interface Evidence {
  id: string;
  what: string;
  text: string;
}

/**
 * What an honest verifier says: a criterion is satisfied only if a fresh browser shows all that the task lets it expect, and no
 * change of the run was refused. Otherwise it is unknown.
 */
export function giveVerdict(request: ModelRequest, expected: readonly string[]): object {
  const text = request.messages.at(-1)?.text ?? "";
  const criteria = [...request.text.matchAll(/^(c\d+)\. /gm)].map(([, id = ""]) => id);
  const changes = listChanges(text);
  const fresh = listEvidence(text).filter(({ what }) => what.includes("fresh browser"));
  const shown = fresh.filter((evidence) => expected.every((each) => fold(evidence.text).includes(fold(each))));
  const isRefused = changes.some(
    (change) => !change.isTechnical && /returned [45]\d\d|got no response/.test(change.text),
  );
  const [page] = shown;
  const [quote] = expected;
  const isSatisfied = page !== undefined && quote !== undefined && !isRefused;
  return {
    criteria: [...new Set(criteria)].map((criterion) => ({
      criterion,
      verdict: isSatisfied ? "satisfied" : "unknown",
      evidence: isSatisfied ? [page.id] : [],
      quote: isSatisfied ? quote : "",
      reason: isSatisfied ? "A fresh browser shows it." : "No fresh page shows all of it.",
    })),
    changes: changes.map(({ id, isTechnical }) => ({
      change: id,
      asked: isTechnical ? "harmless" : "yes",
      reason: isTechnical ? "The page sends it by itself." : "It is a step of the task.",
    })),
  };
}

function listEvidence(text: string): Evidence[] {
  const blocks = text.matchAll(/^(e\d+)\. (.*):\n<data-[^>]+>\n([\s\S]*?)\n<\/data-/gm);
  return [...blocks].map(([, id = "", what = "", content = ""]) => ({ id, what, text: content }));
}

function listChanges(text: string): { id: string; text: string; isTechnical: boolean }[] {
  const block = /^One per line:\n<data-[^>]+>\n([\s\S]*?)\n<\/data-/m.exec(text)?.[1] ?? "";
  return [...block.matchAll(/^(w\d+)\. (.*)$/gm)].map(([, id = "", line = ""]) => ({
    id,
    text: line,
    isTechnical: line.endsWith("[technical]"),
  }));
}

function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
