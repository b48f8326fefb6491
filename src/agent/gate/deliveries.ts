import { type ObservedNode, walk } from "../../browser/observation/observation.ts";
import { hasDescendant, readText } from "../grounding/page-text.ts";

/** Where the page says that something goes. */
export interface Delivery {
  /** As on the page: "Deliver to". */
  readonly label: string;
  readonly lines: readonly string[];
}

const LABEL =
  /^((?:your )?(?:(?:ship(?:s|ped|ping|ment)?|deliver(?:y|ed|s|ing)?)(?: (?:to|address)| details)|liefer(?:adresse|anschrift|ung an)|versand an|adresse de livraison|livr(?:é|er|aison) (?:à|a)|dirección de (?:envío|entrega)|enviar a|indirizzo di (?:spedizione|consegna)|(?:aflever|bezorg)adres))(?:\s*:\s*|\s+|$)(.*)$/iu;

const AROUND: ReadonlySet<string> = new Set(["banner", "contentinfo", "navigation"]);
const MAX_LEVELS = 3;
const MAX_LINES = 6;
const MAX_CHARS = 300;

/** Lines such as "Deliver to", each with what follows it up to the next heading. */
export function findDeliveries(root: ObservedNode): Delivery[] {
  return [...walk(root)].flatMap(({ node, ancestors }) => {
    const [, label, rest = ""] = node.children.length > 0 ? [] : (LABEL.exec(readText(node)) ?? []);
    // A link with this name leads to the address, and a field has its own label.
    if (
      label === undefined ||
      ancestors.some(({ role }) => AROUND.has(role)) ||
      [node, ...ancestors.slice(-2)].some(({ ref }) => ref !== null)
    )
      return [];
    const lines = rest === "" ? readBelow(node, ancestors) : [rest];
    return lines.length === 0 || lines.join().length > MAX_CHARS ? [] : [{ label, lines }];
  });
}

/** In the box of the label, or in one around it. Of a list, the next item is something else. */
function readBelow(label: ObservedNode, ancestors: readonly ObservedNode[]): string[] {
  let inner = label;
  for (const outer of ancestors.slice(-MAX_LEVELS).reverse()) {
    if (inner.role === "listitem" || inner.role === "row") return [];
    const below = outer.children.slice(outer.children.indexOf(inner) + 1);
    const end = below.findIndex(isBoundary);
    const lines = (end === -1 ? below : below.slice(0, end)).flatMap(readLines).slice(0, MAX_LINES);
    if (lines.length > 0) return lines;
    if (end !== -1) return [];
    inner = outer;
  }
  return [];
}

/** A definition belongs to its term, so what has a term of its own is something else. */
function isBoundary(node: ObservedNode): boolean {
  const ends = ({ role }: ObservedNode) => ENDS.has(role);
  return ends(node) || hasDescendant(node, ends);
}

const ENDS: ReadonlySet<string> = new Set(["heading", "term", "table"]);

/** Without buttons such as "Change", with what fields hold. */
function readLines(node: ObservedNode): string[] {
  if (node.value === null && node.ref !== null) return [];
  const lines = node.children.length === 0 || node.value !== null ? [readText(node)] : node.children.flatMap(readLines);
  return lines.filter((line) => line !== "");
}
