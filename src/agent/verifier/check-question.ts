import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { textOf, walk } from "../../browser/observation/tree.ts";
import type { Check } from "../errand.ts";

const REFUSING = /^(no\b|cancel|keep|don['’]?t|do not|back|never mind|not now|dismiss)/i;
const ASKING = /\?|\bsure\b|\bconfirm/i;

/** A page that still asks whether to go on has not gone on: what was clicked is only half done. */
export function checkOpenQuestion(live: Observation, isReading: boolean): Check {
  const about = "No question of the page is left open";
  const open = isReading
    ? undefined
    : (walk(live.root).find(({ node }) => isQuestion(node))?.node ?? findAskingHeading(live.root));
  if (live.dialog === null && open === undefined) return { about, verdict: "satisfied", evidence: "There is none." };
  const text = (live.dialog?.message ?? (open === undefined ? "" : textOf(open))).slice(0, 120);
  return {
    about,
    verdict: "contradicted",
    evidence: `The page asks: "${text}". The task does not say what to answer: add "and confirm it" if you agree.`,
  };
}

function isQuestion(node: ObservedNode): boolean {
  if (node.role !== "alertdialog" && node.role !== "dialog") return false;
  const buttons = [...walk(node)].filter((visit) => visit.node.role === "button").map((visit) => visit.node);
  return buttons.length >= 2 && buttons.some(({ name }) => REFUSING.test(name)) && ASKING.test(textOf(node));
}

/** "Delete this address?" as the heading of a page of its own, with a way to agree and one to back out. */
function findAskingHeading(root: ObservedNode): ObservedNode | undefined {
  const [main = root] = [...walk(root)].filter(({ node }) => node.role === "main").map(({ node }) => node);
  const nodes = [...walk(main)].map(({ node }) => node);
  const heading = nodes.find(({ role, states }) => role === "heading" && (states.level ?? 1) === 1);
  const isAsking = heading !== undefined && /\?\s*$/.test(textOf(heading));
  const canAgree = nodes.some(({ role, name }) => role === "button" && !REFUSING.test(name));
  const canRefuse = nodes.some(({ role, name }) => (role === "button" || role === "link") && REFUSING.test(name));
  return isAsking && canAgree && canRefuse ? heading : undefined;
}
