import { startDemoShop } from "../../demo/shop.ts";
import { estimateTokens } from "../../src/lib/estimate-tokens.ts";
import type { ScriptedCall } from "../../test/_harness/model-completion.ts";
import type { ModelRequest } from "../../test/_harness/model-request.ts";
import { startModelServer } from "../../test/_harness/model-server.ts";
import { giveVerdict } from "../corpus/honest-judge.ts";
import { openService } from "../corpus/service.ts";
import { ShownPage } from "../corpus/shown-page.ts";
import { PROMPT } from "../execution/bare-script.ts";

/** Tokens of all requests of one errand, those of the verifier included. */
export interface OrderCost {
  readonly requests: number;
  readonly tokens: number;
  /** Rules and tools of one request of the planner. */
  readonly rulesAndTools: number;
  /** The share of the planner's tokens that an earlier request began with as well: what a provider can cache. */
  readonly cacheable: number;
}

type Step = (page: ShownPage) => object;

/** The errand of `npm run bench:execution` after opening the shop, as a model would do it. */
const STEPS: readonly Step[] = [
  (page) => ({ action: "fill", ...target(page, "Search all products"), text: "kettle", submit: true }),
  (page) => ({ action: "click", ...target(page, "Brindle Kettle") }),
  (page) => ({ action: "select", ...target(page, "Quantity"), options: ["2"] }),
  (page) => ({ action: "click", ...target(page, "Add to cart"), commit: "Add 2 Brindle Kettles to the cart." }),
  (page) => ({ action: "fill", ...target(page, "Voucher code"), text: "WELCOME10" }),
  (page) => ({ action: "click", ...target(page, "Apply"), commit: "Apply the voucher WELCOME10." }),
];
/** How many steps belong in one turn, because none of them depends on what an earlier one changes. */
const BATCHES: readonly number[] = [1, 1, 2, 2];

/** Runs the errand with the real service and a scripted model. Throws if it does not end verified. */
export async function measureOrder(isBatched: boolean, signal: AbortSignal): Promise<OrderCost> {
  await using shop = await startDemoShop({});
  const script = new OrderScript(isBatched ? BATCHES : STEPS.map(() => 1));
  await using server = await startModelServer((request) => ({ calls: [script.reply(request)] }));
  const allowHosts = [new URL(shop.url).host];
  await using service = await openService({ allowHosts, modelUrl: server.url, logFile: null }, signal);
  const { terminal } = await service.run({ prompt: PROMPT, start_url: shop.url }, signal);
  if (terminal?.status !== "verified") throw new Error(`The errand failed: ${JSON.stringify(terminal)}`);
  const planned = server.requests.filter(({ toolNames }) => toolNames.includes("done"));
  const asked = server.requests.filter(({ toolNames }) => !toolNames.includes("ready"));
  const [first] = planned;
  if (first === undefined) throw new Error("The planner sent no request.");
  return {
    requests: asked.length,
    tokens: sum(asked.map(tokensOf)),
    rulesAndTools: estimateTokens(first.system) + estimateTokens(JSON.stringify(first.body["tools"])),
    cacheable: shareOfRepeatedStarts(planned.map(toText)),
  };
}

class OrderScript {
  readonly #batches: number[];
  #done = 0;
  #total = "";

  constructor(batches: readonly number[]) {
    this.#batches = [...batches];
  }

  reply(request: ModelRequest): ScriptedCall {
    const [tool = ""] = request.toolNames;
    if (tool === "list_criteria") return { name: tool, input: { criteria: CRITERIA } };
    if (tool === "decide") return { name: tool, input: { agreed: true, reason: "The task asks for it." } };
    if (tool === "give_verdict") return { name: tool, input: giveVerdict(request, [this.#total]) };
    if (!request.toolNames.includes("done")) return { name: tool, input: {} };
    const page = new ShownPage(request);
    const count = this.#batches.shift();
    if (count === undefined) return this.#end(page);
    const actions = STEPS.slice(this.#done, this.#done + count).map((step) => step(page));
    this.#done += count;
    return { name: "act", input: { actions } };
  }

  #end({ page }: ShownPage): ScriptedCall {
    this.#total = /^ *Total\n *(€[\d.,]+)$/m.exec(page)?.[1] ?? "";
    const facts = [{ about: "total", value: this.#total, quote: this.#total }];
    const proofs = [{ text: "Voucher WELCOME10" }];
    return { name: "done", input: { answer: `The total is ${this.#total}.`, facts, proofs } };
  }
}

const CRITERIA = [
  "The cart holds two of the Brindle Kettle.",
  "The voucher WELCOME10 is applied.",
  "The answer names the total.",
];

function target(page: ShownPage, name: string): { ref: string; label: string } {
  const found = page.findTarget(name);
  if (found === null) throw new Error(`The page does not show "${name}":\n${page.page}`);
  return { ref: found.ref, label: found.name };
}

function toText({ body, messages }: ModelRequest): string {
  return [JSON.stringify(body["tools"]), ...messages.map(({ text }) => text)].join("\n");
}

function tokensOf(request: ModelRequest): number {
  return estimateTokens(toText(request));
}

function shareOfRepeatedStarts(texts: readonly string[]): number {
  const repeated = texts.slice(1).map((text, index) => estimateTokens(commonStart(text, texts[index] ?? "")));
  return sum(repeated) / sum(texts.map(estimateTokens));
}

function commonStart(text: string, other: string): string {
  let length = 0;
  while (length < text.length && text[length] === other[length]) length += 1;
  return text.slice(0, length);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
