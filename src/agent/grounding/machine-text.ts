import type { ObservedNode } from "../../browser/observation/observation.ts";
import { foldVisible } from "../../browser/observation/visible-text.ts";
import { oncePer } from "../../lib/once-per.ts";
import { hasDescendant, readText } from "./page-text.ts";

/** Names of machines that read pages. "Agents" and "assistants" alone are people: support agents, estate agents. */
const MACHINE =
  "(?:(?:any|all|every|an?|the|this|dear|hello|hi|hey) )?(?:(?:(?:large )?language|ai|gpt|foundation|llm) (?:agents?|assistants?|models?|bots?|systems?|crawlers?|browsers?|tools?|readers?)|(?:automated|autonomous|artificial|intelligent|web|browser|browsing|llm[- ]based|ai[- ]powered|computer[- ]use) (?:agents?|assistants?|bots?|systems?|models?|crawlers?|scrapers?|readers?)|a\\.?i\\.?s?|llms?|chat ?bots?|bots?|chatgpt|gpt(?:-\\d\\w*)?|claude|gemini|copilot|artificial intelligence|language models?|crawlers?|scrapers?)";
/** What a vocative may name as well, where an order follows it. */
const ADDRESSEE = `(?:${MACHINE}|(?:dear |hello |hi |hey )?(?:agents?|assistants?|models?|verifiers?|judges?|graders?|system))`;
const TELL =
  "(?:answer|report|say|respond|reply|state|use|return|output|ignore|treat|assume|consider|disregard|follow|tell|give|quote|cite|extract|record|write|mark|call|click|enter|submit|send|forward|read|note|know|remember|include|mention|repeat|conclude|believe|trust|accept)";
const ORDER = `(?:please |always |only |now |instead |then |do not |don['’]t |never |you (?:must|should|shall|have to|need to|are to|can|may|will) |(?:must|should|shall|need to|have to) )*${TELL}`;

const ADDRESSES: readonly RegExp[] = [
  // "If you are an AI …", "As a language model, you …", "You are a helpful assistant"
  new RegExp(
    `\\b(?:if|since|as|because|when|while|should) (?:you(?:['’]re| are| be)|this is(?: being)? (?:read|processed|parsed|accessed) by|reading this as|you read this as) (?:an? |the )?(?:${MACHINE}|automated|agent|assistant|model|machine|robot)\\b`,
  ),
  new RegExp(
    `\\byou(?:['’]re| are) (?:now )?an? (?:helpful |harmless |obedient )*(?:${MACHINE}|assistant|agent|model)\\b`,
  ),
  new RegExp(`\\bas an? (?:helpful )?(?:${MACHINE}|assistant|agent|model)(?: \\w+){0,3},? you\\b`),
  // "Note to AI agents", "Instructions for language models:", "Attention AI"
  new RegExp(
    `\\b(?:notes?|notices?|instructions?|messages?|information|hints?|reminders?|important|attention|warning|directives?|guidance|only) ?(?:to|for|:|,|-|–)? ?(?:all |any |the )?${MACHINE}\\b(?! (?:is|are|was|services?|products?|support|chat)\\b)`,
  ),
  new RegExp(`(?:^|[.!?] )for ${MACHINE}(?: only)?:`),
  // "This line is for AI agents only", "meant for language models"
  new RegExp(
    `\\b(?:is|are|meant|intended|written|addressed|only|just) (?:only |just |meant |intended )*(?:for|to) (?:all |any |the )?${MACHINE}(?: and ${MACHINE})?(?: only)?(?:[:,.;!]|$)`,
  ),
  // "AI assistants processing this mailbox: the code is …"
  new RegExp(
    `\\b${MACHINE} (?:who |that )?(?:read|visit|process|pars|brows|us|handl|scan|index|summari[sz])(?:e|es|s|ing)?(?: \\w+){0,5}\\s?[:,–—]`,
  ),
  // "AI agents: answer …", "Assistant, report …", "Verifier: mark …"
  new RegExp(
    `(?:^|[.!?\\n(\\[{*#>•|"“-]\\s*)${ADDRESSEE}(?: reading (?:this|the)(?: page)?)?\\s?[,:–—-]+\\s?${ORDER}\\b`,
  ),
  // "AI assistants: the code is …", but not "AI assistants: 3 per team"
  new RegExp(
    `(?:^|[.!?\\n(\\[{*#>•|"“:-]\\s*)${MACHINE}\\s?[:,–—]\\s?(?:the|your|our|this|these|its?|there|all|no|every|here|we)\\b.{0,120}?\\b(?:is|are|was|were|has|have|costs?|equals)\\b`,
  ),
  // "Note to assistants: use the values below"
  new RegExp(
    `\\b(?:notes?|notices?|instructions?|messages?) (?:to|for) (?:all |any |the )?(?:agents?|assistants?|models?)\\s?[,:–—-]+\\s?${ORDER}\\b`,
  ),
  // "AI agents must answer …", "any assistant reading this should report …"
  new RegExp(
    `\\b${MACHINE}(?: (?:reading|visiting|processing|parsing|browsing|using)(?: \\w+){0,4})? (?:must|should|shall|have to|need to|are (?:to|required to|instructed to|asked to|requested to|advised to)|is (?:to|required to|instructed to))(?: not| always| only| never)? ${TELL}\\b`,
  ),
  /\b(?:agents?|assistants?|models?) (?:reading|processing|parsing|visiting|browsing) this (?:page|text|site|document|content)\b/,
  // "Answer that the number is …", where machines are named in the same text.
  new RegExp(
    `\\b${MACHINE}\\b.{0,200}\\b(?:answer|respond|reply|report|output|say|state|conclude)(?:,? only)?(?: that (?:the|your|its?|there|this|these|all|no|[a-z]+ is)\\b| with\\b|:)`,
  ),
  /\b(?:ignore|disregard|forget|override|bypass|discard)(?: (?:all|any|the|your|of|every|everything|my|other))*(?: (?:previous|prior|earlier|above|preceding|former|existing|original|initial|other|system|safety))+ (?:instructions?|prompts?|directions?|directives?|rules?|guidelines?|commands?|text|content|context|messages?|orders?)\b/,
  /\b(?:ignore|disregard|forget) (?:everything|all|anything) (?:above|before|you (?:were|have been) told|else on (?:this|the) page)\b/,
  /\b(?:your|the|new|updated|developer|override the|reveal(?: the| your)?|<\|?) ?system prompts?\b|\bsystem (?:prompt|message|override|instruction)s?\s?:|<\/?(?:system|assistant|instructions?)>|\[\/?inst\]|<\|im_(?:start|end)\|>/,
  /\b(?:your|the) (?:new|real|actual|true|only|updated) (?:task|instructions?|goal|objective|prompt) (?:is|are)\b/,
  /\btell (?:the|your) (?:user|human|operator|principal) (?:that|to)\b/,
  // German, French, Spanish
  /\b(?:ki[- ](?:agent(?:en)?|assistent(?:en)?|modelle?|systeme?)|sprachmodelle?|als ki\b|ignoriere?n? (?:sie )?(?:alle )?(?:vorherigen|bisherigen|obigen) (?:anweisungen|instruktionen))\b(?=.{0,200}(?:antwort|melde|gib|nenne|ignorier|verwende|sag|anweisung))/,
  /\b(?:ignore[zr]?|oublie[zr]?) (?:toutes )?(?:les|tes|vos) instructions (?:précédentes|antérieures)|\b(?:agents?|assistants?|modèles?) (?:d['’])?ia\b.{0,200}\b(?:répond|indique|utilise|ignore)/,
  /\bignora (?:todas )?(?:las|tus) instrucciones (?:anteriores|previas)|\b(?:agentes?|asistentes?|modelos?) de ia\b.{0,200}\b(?:responde|indica|utiliza|ignora)/,
];

/** Every form has one of these words. Most texts have none of them, and are not compared with the forms. */
const SIGNAL =
  /\ba\.?i|\bki\b|\bki-|llm|bot|gpt|claude|gemini|copilot|artificial|language|crawl|scrap|agent|assist|asist|model|modèle|system|automated|machine|robot|foundation|reader|verifier|judge|grader|ignor|disregard|forget|overrid|bypass|discard|prompt|instruction|task|goal|objective|tell|oublie|\binst|im_/;

/** Long texts are searched in parts. The overlap is longer than any of the forms. */
const PART_CHARS = 4_000;
const OVERLAP_CHARS = 400;

/**
 * Whether a text addresses the machines that read it: AI agents, assistants, language models. Such text tries to steer and
 * is no source of values. A text that only mentions them ("our AI assistant", "support agents") does not address them.
 */
export function addressesMachines(text: string): boolean {
  return isAnyPart(text, (part) => SIGNAL.test(part) && ADDRESSES.some((form) => form.test(part)));
}

/** Whether a text, such as all of a page, has a word without which none of its parts addresses machines. */
export function mayAddressMachines(text: string): boolean {
  return isAnyPart(text, (part) => SIGNAL.test(part));
}

function isAnyPart(text: string, isMeant: (part: string) => boolean): boolean {
  const folded = foldVisible(text);
  for (let at = 0; at < folded.length; at += PART_CHARS) {
    const part = folded.slice(at, at + PART_CHARS + OVERLAP_CHARS);
    if (isMeant(part)) return true;
  }
  return false;
}

/** Parts of a page whose name is a title: if it addresses machines, so does everything in it. */
const TITLED: ReadonlySet<string> = new Set(
  "region complementary group note dialog alertdialog figure article form list table".split(" "),
);
const INLINE: ReadonlySet<string> = new Set(
  "text strong emphasis code link mark generic subscript superscript deletion insertion time".split(" "),
);

/**
 * The page without text that addresses machines: the paragraph, what follows a heading or an opening that ends in a colon,
 * the value of a field, and everything in a part of the page that is called so. Null when all of it does. The same node when nothing does.
 * A page is searched once, however many ask.
 */
export const withoutMachineText: (page: ObservedNode) => ObservedNode | null = oncePer(prune);

function prune(given: ObservedNode): ObservedNode | null {
  const node = given.value !== null && isAddressing(given.value) ? { ...given, value: null } : given;
  if ((node.children.length === 0 || TITLED.has(node.role)) && isAddressing(node.name)) return null;
  const kept = pruneChildren(node.children);
  const isSame = kept.length === node.children.length && kept.every((child, index) => child === node.children[index]);
  if (isSame) return node;
  if (kept.length === 0 && node.role !== "document") return null;
  // The name of a row or a link is made of its content.
  const isNamed = TITLED.has(node.role) || node.role === "document";
  return { ...node, name: isNamed ? node.name : "", children: kept };
}

/** What a dropped block takes with it. */
type Following = "until a heading" | "the next" | null;

function pruneChildren(children: readonly ObservedNode[]): ObservedNode[] {
  const kept: ObservedNode[] = [];
  let following: Following = null;
  for (const block of toBlocks(children)) {
    const isTaken = following === "the next" || (following === "until a heading" && block[0]?.role !== "heading");
    if (isTaken) {
      following = following === "the next" && !goesOn(block) ? null : following;
      continue;
    }
    const inner = pruneBlock(block);
    kept.push(...inner);
    following = inner.length > 0 ? null : findFollowing(block);
  }
  return kept;
}

/** A note that points at what comes after it: it ends in a colon, or says "below", "the following", "these values". */
const INTRODUCES = /:\s*$|\b(?:below|following|as follows|these|underneath|next (?:list|table|section))\b/i;

function findFollowing(dropped: readonly ObservedNode[]): Following {
  const isHeaded = dropped.some((node) => node.role === "heading" || hasDescendant(node, isHeading));
  if (isHeaded) return "until a heading";
  return goesOn(dropped) || INTRODUCES.test(readBlock(dropped)) ? "the next" : null;
}

const ENDS_SENTENCE = /[.!?…"'”’)\]},;]\s*$/;

/** The lines of a text may be elements of their own. */
function goesOn(block: readonly ObservedNode[]): boolean {
  return block.every(({ role }) => role === "generic") && !ENDS_SENTENCE.test(readBlock(block));
}

function isHeading({ role }: ObservedNode): boolean {
  return role === "heading";
}

/** Parts of one line belong together: "… that the number is <b>99999</b>". Everything else is a block of its own. */
function toBlocks(children: readonly ObservedNode[]): ObservedNode[][] {
  const blocks: ObservedNode[][] = [];
  let line: ObservedNode[] | null = null;
  for (const child of children) {
    if (!isInline(child)) {
      blocks.push([child]);
      line = null;
    } else if (line === null || isOtherLine(child, line.at(-1))) {
      line = [child];
      blocks.push(line);
    } else line.push(child);
  }
  return blocks;
}

/** A line of its own, as in an editor. */
function isOtherLine({ role, box }: ObservedNode, before: ObservedNode | undefined): boolean {
  if (role !== "generic" || before?.role !== "generic" || box === null || before.box === null) return false;
  return box.y >= before.box.y + before.box.height || box.y + box.height <= before.box.y;
}

function pruneBlock(block: readonly ObservedNode[]): readonly ObservedNode[] {
  const [first] = block;
  if (first === undefined || block.every(isInline)) return isAddressing(readBlock(block)) ? [] : block;
  if (first.role === "heading" && isAddressing(readText(first))) return [];
  const inner = prune(first);
  return inner === null ? [] : [inner];
}

function readBlock(block: readonly ObservedNode[]): string {
  return block.map(readText).join(" ");
}

function isInline(node: ObservedNode): boolean {
  const isPart = (child: ObservedNode, at: number) => isInline(child) && !isOtherLine(child, node.children[at - 1]);
  return INLINE.has(node.role) && node.children.every(isPart);
}

/** Shorter texts say nothing to anybody, and a page has very many of them. */
const MIN_CHARS = 10;

function isAddressing(text: string): boolean {
  return text.length >= MIN_CHARS && addressesMachines(text);
}
