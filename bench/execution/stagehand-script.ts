import type { ModelRequest } from "../../test/_harness/model-request.ts";
import type { ModelReply } from "../../test/_harness/model-server.ts";
import { type CartOrder, VOUCHER } from "./bare-script.ts";

/** One call of Stagehand's `act`, and the element that a model picks for it from the page that it is sent. */
interface ActStep {
  instruction: string;
  role: string;
  name: string;
  method: "fill" | "press" | "click" | "selectOptionFromDropdown";
  value: string | null;
}

/** The values as they stand in instructions: themselves, or the names of variables that Stagehand fills in. */
export type OrderWords = CartOrder & { voucher: string };

/** The names of the variables with which a recorded run is repeated. */
export const VARIABLES: OrderWords = {
  search: "%search%",
  product: "%product%",
  quantity: "%quantity%",
  voucher: "%voucher%",
};

export const TOTAL_QUESTION = "the total of the cart";

/** The errand after opening the shop. What is typed and chosen is in `words`; `order` says what the page then shows. */
export function writeActSteps(order: CartOrder, words: OrderWords = { ...order, voucher: VOUCHER }): ActStep[] {
  const search = { role: "searchbox", name: "Search all products" };
  const click = { method: "click", value: null } as const;
  return [
    { instruction: `Type ${words.search} into the search box`, ...search, method: "fill", value: words.search },
    { instruction: "Press Enter in the search box", ...search, method: "press", value: "Enter" },
    { instruction: `Click the link ${words.product} in the results`, role: "link", name: order.product, ...click },
    {
      instruction: `Choose ${words.quantity} in the quantity dropdown`,
      role: "select",
      name: "Quantity",
      method: "selectOptionFromDropdown",
      value: words.quantity,
    },
    { instruction: "Click the button Add to cart", role: "button", name: "Add to cart", ...click },
    {
      instruction: `Type ${words.voucher} into the voucher code field`,
      role: "textbox",
      name: "Voucher code",
      method: "fill",
      value: words.voucher,
    },
    { instruction: "Click the button Apply", role: "button", name: "Apply", ...click },
  ];
}

/** What a model replies to Stagehand: each element by the id in the tree that was sent, the total as it stands there. */
export class StagehandScript {
  readonly #steps: readonly ActStep[];
  #total = "";

  constructor(steps: readonly ActStep[]) {
    this.#steps = steps;
  }

  reply(request: ModelRequest): ModelReply {
    if (request.toolNames.length > 0) return this.#replyToAgent(request);
    const fields = readFields(request);
    if (fields.includes("action")) return asJson(this.#pickElement(request.text));
    if (fields.includes("completed")) return asJson({ progress: "The total is extracted.", completed: true });
    this.#total = /\] term: Total\n.*\] definition\n.*\] StaticText: (€[\d.,]+)$/m.exec(request.text)?.[1] ?? "";
    return asJson({ extraction: this.#total });
  }

  /** An agent acts step by step, reads the total, and is then asked once more for its answer. */
  #replyToAgent({ messages, toolNames }: ModelRequest): ModelReply {
    if (toolNames.includes("done")) return call("done", { reasoning: this.#total, taskComplete: true });
    const turn = messages.filter(({ role }) => role === "assistant").length;
    const step = this.#steps[turn];
    if (step !== undefined) return call("act", { action: step.instruction });
    if (turn === this.#steps.length) return call("extract", { instruction: TOTAL_QUESTION });
    return { text: this.#total };
  }

  #pickElement(text: string): object {
    const step = this.#steps.find(({ instruction }) => text.includes(`action: ${instruction}.`));
    if (step === undefined) throw new Error(`Nothing is scripted for this request of Stagehand:\n${text}`);
    const { instruction, role, name, method, value } = step;
    const lines = text.split("\n");
    const line = lines.find((each) => each.trimEnd().endsWith(`] ${role}: ${name}`));
    const [, elementId] = /\[(\d+-\d+)\]/.exec(line ?? "") ?? [];
    if (elementId === undefined) throw new Error(`The tree has no ${role} "${name}":\n${text}`);
    const action = { elementId, description: instruction, method, arguments: value === null ? [] : [value] };
    return { action, twoStep: false };
  }
}

/** The names of what the reply must hold. */
function readFields({ responseFormat }: ModelRequest): string[] {
  const format = responseFormat as { json_schema?: { schema?: { properties?: object } } } | undefined;
  return Object.keys(format?.json_schema?.schema?.properties ?? {});
}

function asJson(value: object): ModelReply {
  return { text: JSON.stringify(value) };
}

function call(name: string, input: object): ModelReply {
  return { calls: [{ name, input }] };
}
