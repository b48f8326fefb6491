import { startDemoShop } from "../../demo/shop.ts";
import { estimateTokens } from "../../src/lib/estimate-tokens.ts";
import type { ModelRequest } from "../../test/_harness/model-request.ts";
import { startModelServer } from "../../test/_harness/model-server.ts";
import { openService } from "../corpus/service.ts";
import { PROMPT } from "../execution/bare-script.ts";
import { OrderScript } from "../execution/order-script.ts";

/** Tokens of all requests of one errand, those of the verifier included. */
export interface OrderCost {
  readonly requests: number;
  readonly tokens: number;
  /** Rules and tools of one request of the planner. */
  readonly rulesAndTools: number;
  /** The share of the planner's tokens that an earlier request began with as well: what a provider can cache. */
  readonly cacheable: number;
}

/** Runs the errand with the real service and a scripted model. Throws if it does not end verified. */
export async function measureOrder(isBatched: boolean, signal: AbortSignal): Promise<OrderCost> {
  await using shop = await startDemoShop({});
  const script = new OrderScript({ isBatched });
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
