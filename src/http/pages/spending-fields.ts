import { isMonthLower, type SpendingLimits } from "../../contract/spending.ts";
import { type Html, html } from "../../lib/html.ts";
import { decimalsOf, toMoney } from "../../lib/money.ts";

/** What the fields for spending limits hold. */
export interface SpendingEntry {
  readonly currency: string;
  readonly perErrand: string;
  readonly perMonth: string;
  /** What must be corrected, in a sentence; null when everything can be read. */
  readonly problem: string | null;
  /** Null without limits, and while there is a problem. */
  readonly limits: SpendingLimits | null;
  /** Whether the user has read the remark about these limits; true when there is none. */
  readonly isNoted: boolean;
}

/** Those that amounts on pages can be read in. */
export const SPENDING_CURRENCIES = (
  "EUR USD GBP AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PEN PHP " +
  "PLN RON RUB SAR SEK SGD THB TRY TWD UAH VND ZAR"
).split(" ");

export function toSpendingEntry(limits: SpendingLimits | null): SpendingEntry {
  const { currency, perErrand, perMonth } = limits ?? { currency: "EUR", perErrand: null, perMonth: null };
  const decimals = decimalsOf(currency);
  const toText = (minorUnits: number | null) =>
    minorUnits === null ? "" : (minorUnits / 10 ** decimals).toFixed(decimals);
  return { currency, perErrand: toText(perErrand), perMonth: toText(perMonth), problem: null, limits, isNoted: true };
}

/** Empty fields set no limit. Everything else must be an amount: a limit that was misread would be no limit. */
export function readSpendingEntry(form: Record<string, unknown>): SpendingEntry {
  const read = (name: string) =>
    String(form[name] ?? "")
      .trim()
      .slice(0, MAX_CHARS);
  const entry = {
    currency: read("spending_currency") || "EUR",
    perErrand: read("spending_per_errand"),
    perMonth: read("spending_per_month"),
  };
  const refuse = (problem: string): SpendingEntry => ({ ...entry, problem, limits: null, isNoted: true });
  if (entry.perErrand === "" && entry.perMonth === "") return { ...entry, problem: null, limits: null, isNoted: true };
  if (!SPENDING_CURRENCIES.includes(entry.currency)) return refuse("Choose a currency from the list.");
  const [perErrand = null, perMonth = null] = [entry.perErrand, entry.perMonth].map((text) =>
    readLimit(text, entry.currency),
  );
  if (typeof perErrand === "string") return refuse(perErrand);
  if (typeof perMonth === "string") return refuse(perMonth);
  const limits = { currency: entry.currency, perErrand, perMonth };
  const isNoted = !isMonthLower(limits) || form["spending_noted"] === toNote(entry);
  return { ...entry, problem: null, limits, isNoted };
}

const MAX_CHARS = 20;

const MAX_WHOLE_DIGITS = 9;
const GROUPED = /^\d{1,3}([.,'’\s]\d{3})+([.,]\d{1,2})?$/;

/** In minor units; null for an empty field, a sentence for what is not an amount. "1.000" could be one or a thousand. */
function readLimit(text: string, currency: string): number | string | null {
  if (text === "") return null;
  if (GROUPED.test(text)) return "Enter spending limits without a thousands separator: 1000, for example.";
  const [whole = "", fraction = "", ...more] = text.split(/[.,]/);
  const isNumber = /^\d+$/.test(whole) && more.length === 0 && /^\d*$/.test(fraction) && !/[.,]$/.test(text);
  if (isNumber && whole.length > MAX_WHOLE_DIGITS)
    return `This spending limit is too large. Enter at most ${"9".repeat(MAX_WHOLE_DIGITS)}, or leave the field empty.`;
  const isAmount = isNumber && fraction.length <= decimalsOf(currency);
  const money = isAmount ? toMoney({ value: Number(`${whole}.${fraction || "0"}`), currency }) : null;
  if (money !== null && money.minorUnits > 0) return money.minorUnits;
  const example = decimalsOf(currency) === 0 ? "2000" : "20 or 19.99";
  return `Enter a spending limit as a number above 0, such as ${example}, or leave the field empty.`;
}

/** The disabled button is the form's first: so the Enter key in a field decides nothing. */
export function spendingFields(entry: SpendingEntry): Html {
  const { currency, perErrand, perMonth, problem, limits, isNoted } = entry;
  const isOpen = problem !== null || perErrand !== "" || perMonth !== "";
  return html`<details class="spending"${isOpen && html` open`}>
<summary>Limit what it may spend</summary>
${problem !== null && html`<p class="problem" role="alert">${problem} Nothing was saved.</p>`}
<p>Above a limit, the application is asked first in the same way. If nobody can be asked, nothing is bought.</p>
<button type="submit" disabled hidden></button>
<div class="spending-fields">
${amountField("spending_per_errand", "Per errand", perErrand)}
${amountField("spending_per_month", "Per month", perMonth)}
<label class="field"><span>Currency</span><select name="spending_currency">${SPENDING_CURRENCIES.map(
    (code) => html`<option${code === currency && html` selected`}>${code}</option>`,
  )}</select></label>
</div>
${
  limits !== null &&
  isMonthLower(limits) &&
  html`<input type="hidden" name="spending_noted" value="${toNote(entry)}">
<p class="hint"${!isNoted && html` role="alert"`}>The limit per month is lower than the limit per errand, so it counts for each errand as well.${!isNoted && " Nothing was saved yet. Change it, or allow it as it is."}</p>`
}
</details>`;
}

/** The remark holds for these amounts only. */
function toNote({ perErrand, perMonth }: Pick<SpendingEntry, "perErrand" | "perMonth">): string {
  return `${perErrand} ${perMonth}`;
}

function amountField(name: string, label: string, value: string): Html {
  return html`<label class="field"><span>${label}</span><input name="${name}" inputmode="decimal" autocomplete="off" maxlength="${MAX_CHARS}" placeholder="No limit" value="${value}"></label>`;
}
