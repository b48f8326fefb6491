import type { DraftNode } from "./draft-node.ts";

const MASK = "••••••";
/** Shorter ones are masked only where they stand alone in a field, else every "1" of a page would go. */
const MIN_CHARS_IN_TEXT = 4;

/** Takes secrets out of everything that could hold one. The fields they come from are masked already. */
export function maskSecrets(root: DraftNode, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  const alone = new Set(secrets);
  const inText = secrets.filter((secret) => secret.length >= MIN_CHARS_IN_TEXT).toSorted((a, b) => b.length - a.length);
  const maskText = (text: string) => inText.reduce((masked, secret) => maskWithin(masked, secret), text);
  const mask = (node: DraftNode): void => {
    node.name = maskText(node.name);
    if (node.value !== null) node.value = alone.has(node.value) ? MASK : maskText(node.value);
    if (node.url !== null) node.url = maskText(node.url);
    node.children.forEach(mask);
  };
  mask(root);
}

function maskWithin(text: string, secret: string): string {
  const encoded = encodeURIComponent(secret.toWellFormed());
  const spaced = secret.replace(/\s+/g, " ").trim();
  return [secret, spaced, encoded]
    .filter((form) => form.length >= MIN_CHARS_IN_TEXT)
    .reduce((masked, form) => masked.replaceAll(form, MASK), text);
}
