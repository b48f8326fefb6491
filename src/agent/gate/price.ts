import { isSameCurrency, parseAmount, parseAmounts } from "../grounding/amounts.ts";
import type { Act } from "./operation.ts";
import type { Amount } from "./people.ts";
import type { OrderReading } from "./read-order.ts";

/** What something costs, as code and the judge read it from the page. */
export interface Price {
  /** Null when neither can tell. */
  readonly amount: Amount | null;
  /** Why the amount is not certain, in a sentence; null when it is. */
  readonly doubt: string | null;
  /** Whether code and the judge read different amounts. */
  readonly isDisputed: boolean;
}

/** Acts that cost money, unless the page says otherwise. */
const PAID: ReadonlySet<Act | null> = new Set<Act | null>(["buy", "book", "transfer"]);

export function isPaidAct(act: Act | null): boolean {
  return PAID.has(act);
}

/** `judged` is what the judge says that it costs, "" for nothing; null without a judge. */
export function readPrice(order: OrderReading, act: Act | null, judged: string | null): Price | null {
  const { total } = order;
  const said = toMoney(judged ?? "");
  if (!isPaidAct(act) && said === null) return null;
  // Reserving a table costs nothing where the page names no price at all.
  if (act === "book" && said === null && parseAmounts(order.text).every(({ currency }) => currency === null))
    return null;
  if (total === null)
    return { amount: said, doubt: "The page states no total that can be read for certain.", isDisputed: false };
  if (said === null) {
    const doubt = judged === null ? null : `The page says ${format(total)}, and the judge does not confirm it.`;
    return { amount: total, doubt, isDisputed: false };
  }
  if (said.value !== total.value || !isSameCurrency(said.currency, total.currency)) {
    const doubt = `Code reads the total as ${format(total)}, and the judge reads ${format(said)}.`;
    return { amount: said.value > total.value ? said : total, doubt, isDisputed: true };
  }
  // One of them may name the currency more exactly: "$" and "USD".
  return { amount: /^[A-Z]{3}$/.test(total.currency) ? total : said, doubt: null, isDisputed: false };
}

function toMoney(text: string): Amount | null {
  const { value, currency = null } = parseAmount(text) ?? { value: 0 };
  return currency === null ? null : { value, currency };
}

function format({ value, currency }: Amount): string {
  return `${currency} ${value.toFixed(2)}`;
}
