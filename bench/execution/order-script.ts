import type { ScriptedCall } from "../../test/_harness/model-completion.ts";
import type { ModelRequest } from "../../test/_harness/model-request.ts";
import { giveVerdict } from "../corpus/honest-judge.ts";
import { ShownPage } from "../corpus/shown-page.ts";

type Step = (page: ShownPage) => object;

/** The errand after opening the shop, as a model would do it. */
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

const CRITERIA = [
  "The cart holds two of the Brindle Kettle.",
  "The voucher WELCOME10 is applied.",
  "The answer names the total.",
];

/** What a model replies that carries out the errand, run after run, with several actions in a turn or with one. */
export class OrderScript {
  readonly #batches: readonly number[];
  #turn = 0;
  #done = 0;
  #total = "";

  constructor({ isBatched }: { isBatched: boolean }) {
    this.#batches = isBatched ? BATCHES : STEPS.map(() => 1);
  }

  reply(request: ModelRequest): ScriptedCall {
    const [tool = ""] = request.toolNames;
    if (tool === "list_criteria") {
      // The first request of a run.
      this.#turn = 0;
      this.#done = 0;
      return { name: tool, input: { criteria: CRITERIA } };
    }
    if (tool === "decide") return { name: tool, input: { agreed: true, reason: "The task asks for it." } };
    if (tool === "give_verdict") return { name: tool, input: giveVerdict(request, [this.#total]) };
    if (!request.toolNames.includes("done")) return { name: tool, input: {} };
    const page = new ShownPage(request);
    const count = this.#batches[this.#turn];
    if (count === undefined) return this.#end(page);
    const actions = STEPS.slice(this.#done, this.#done + count).map((step) => step(page));
    this.#turn += 1;
    this.#done += count;
    return { name: "act", input: { actions } };
  }

  #end({ page }: ShownPage): ScriptedCall {
    this.#total = /^ *Total\n *(€[\d.,]+)$/m.exec(page)?.[1] ?? "";
    const facts = [{ about: "total", value: this.#total, quote: this.#total }];
    const proofs = [{ text: "Voucher WELCOME10" }];
    return { name: "done", input: { answer: this.#total, facts, proofs } };
  }
}

function target(page: ShownPage, name: string): { ref: string; label: string } {
  const found = page.findTarget(name);
  if (found === null) throw new Error(`The page does not show "${name}":\n${page.page}`);
  return { ref: found.ref, label: found.name };
}
