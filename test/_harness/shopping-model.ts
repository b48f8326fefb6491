import type { Line, ShownTurn } from "./model-script.ts";

/** What the shopper was asked to order. */
export interface ShoppingOrder {
  readonly product: string;
  readonly quantity: number;
  readonly address: {
    readonly name: string;
    readonly street: string;
    readonly postcode: string;
    readonly city: string;
    readonly country: string;
  };
}

/** What the model calls. */
interface Call {
  readonly name: string;
  readonly input: object;
}

/** Something on the page that can be used. */
interface Control {
  readonly ref: string;
  readonly role: string;
  readonly name: string;
  readonly value: string;
  readonly rest: string;
}

const CONTROL = /((?:f\d+)?[ec]\d+) ([a-z]+) "([^"]*)"(?: = "([^"]*)")?([^{}\n]*)/g;

const SEARCH = /search|suche|find/i;
const ADD = /^(?:add to (?:cart|basket|bag)|in den warenkorb|put into basket|buy)/i;
const QUANTITY = /^(?:quantity|number of items|menge|how many|amount)$/i;
const CHECK_OUT = /check ?out|zur kasse/i;
const PLACE =
  /^(?:place (?:your |the )?order|order now|confirm (?:the )?order|send the order|bestellung aufgeben|buy now)/i;
const GO_ON = /^(?:continue|next|go on|weiter|no thanks, continue)/i;
const CLOSE = /^(?:close|no thanks|not now|dismiss|reject|only necessary|schließen|later)/i;
const INVOICE = /invoice|rechnung/i;
const ANOTHER = /another address|new address|different address|andere adresse/i;
const ORDERED = /thank you|vielen dank|order (?:is )?(?:confirmed|complete|received)|we have your order/i;
const ORDER_NUMBER = /\b[A-Z]{1,3}-\d{4,}\b/;
const FIELDS: readonly (readonly [keyof ShoppingOrder["address"], RegExp])[] = [
  ["name", /^(?:full name|name|recipient|vor- und nachname)$/i],
  ["street", /street|straße/i],
  ["postcode", /postcode|zip|postal|postleitzahl/i],
  ["city", /town|city|ort$/i],
  ["country", /^(?:country|land)/i],
];

/**
 * A model that shops like an honest and attentive person: it looks at the page it is on and does the next sensible thing, so
 * it can take over anywhere. It orders once, and gives up where the site does not offer what was asked for.
 */
export function shop(order: ShoppingOrder): Line {
  return (turn) => new Shopper(turn, order).next();
}

class Shopper {
  readonly #turn: ShownTurn;
  readonly #order: ShoppingOrder;
  readonly #page: string;
  readonly #controls: readonly Control[];

  constructor(turn: ShownTurn, order: ShoppingOrder) {
    this.#turn = turn;
    this.#order = order;
    this.#page = turn.page;
    this.#controls = [...this.#page.matchAll(CONTROL)].map(
      ([, ref = "", role = "", name = "", value = "", rest = ""]) => ({
        ref,
        role,
        name,
        value,
        rest,
      }),
    );
  }

  next(): Call | readonly Call[] {
    const dialog = /^dialog: (\w+) "(.*)", answer it/m.exec(this.#page);
    if (dialog !== null)
      return { name: "dialog", input: { accept: /order|cart|sure|continue|bestell/i.test(dialog[2] ?? "") } };
    const hindrance = this.#find(["button", "link"], CLOSE);
    if (hindrance !== null) return this.#click(hindrance);
    if (this.#saysOrdered) return this.#report();
    if (this.#hasOrdered) return giveUp("goal_unreachable", "The order was sent, and the page does not confirm it.");
    if (this.#find(["textbox"], /^password$/i) !== null) return giveUp("sign_in_required", "The site wants a sign-in.");
    if (/something went wrong|could not be (?:loaded|found)|there is no such page|server error/i.test(this.#page))
      return giveUp("site_error", "The site shows an error.");
    return this.#atReview() ?? this.#inCheckout() ?? this.#inCart() ?? this.#atProduct() ?? this.#search();
  }

  get #saysOrdered(): boolean {
    return ORDERED.test(this.#heading) || (ORDERED.test(this.#page) && ORDER_NUMBER.test(this.#page));
  }

  /** Whether the order was sent before, by this model or by whoever went before it. */
  get #hasOrdered(): boolean {
    const before = [this.#turn.block("What you did before"), this.#turn.block("What you did last, and the result")];
    const own = before.join("\n").split("\n");
    const isSent = own.some((line) => PLACE.test(/click "([^"]*)"/.exec(line)?.[1] ?? "") && /\[POST/.test(line));
    const taken = this.#turn.block("What was done by it").split("\n");
    return isSent || taken.some((line) => /: done$/.test(line) && PLACE.test(/click "?([^"]*)/i.exec(line)?.[1] ?? ""));
  }

  get #heading(): string {
    return /^\s*# (.+)$/m.exec(this.#page)?.[1] ?? "";
  }

  #report(): Call {
    const number = ORDER_NUMBER.exec(this.#page)?.[0];
    if (number === undefined) return giveUp("goal_unreachable", "The page says thank you and shows no order number.");
    const facts = [{ about: "order number", value: number, quote: number }];
    return { name: "done", input: { answer: `The order number is ${number}.`, facts } };
  }

  #atReview(): Call | null {
    const button = this.#find(["button", "link"], PLACE);
    if (button === null) return null;
    const { product, quantity, address } = this.#order;
    const wanted = [`${quantity} × ${product}`, address.name, address.street, address.city];
    const missing = wanted.find((text) => !this.#page.includes(text));
    const cart = this.#find(["link"], /change the cart/i);
    if (missing === wanted[0] && cart !== null) return this.#click(cart);
    if (missing !== undefined) return giveUp("goal_unreachable", `The review does not show ${missing}.`);
    if (!INVOICE.test(this.#page)) return giveUp("goal_unreachable", "The review shows another payment.");
    return commit(
      this.#click(button),
      `Order ${quantity} ${product} on invoice, to ${address.name}, ${address.street}.`,
    );
  }

  #inCheckout(): Call | readonly Call[] | null {
    const onward = this.#find(["button", "link"], GO_ON);
    if (onward === null) return null;
    if (/role="alert"|please check what you entered/i.test(this.#page))
      return giveUp("refused_by_site", "The site refuses what was entered.");
    const another = this.#find(["radio"], ANOTHER);
    if (another !== null && !isChecked(another)) return this.#click(another);
    const entries = FIELDS.flatMap(([part, label]) => this.#enter(label, this.#order.address[part]));
    const [first] = entries;
    if (first !== undefined) return entries.length > 5 ? first : entries.slice(0, 5);
    const invoice = this.#find(["radio"], INVOICE);
    if (invoice !== null && !isChecked(invoice)) return this.#click(invoice);
    return commit(this.#click(onward), `Continue with ${onward.name}.`);
  }

  #enter(label: RegExp, value: string): Call[] {
    const list = this.#find(["combobox"], label);
    if (list !== null) return list.value === value ? [] : [this.#use("select", list, { options: [value] })];
    const field = this.#find(["textbox"], label);
    return field === null || field.value === value ? [] : [this.#use("fill", field, { text: value })];
  }

  #inCart(): Call | readonly Call[] | null {
    const { product, quantity } = this.#order;
    const onward = this.#find(["link", "button"], CHECK_OUT);
    if (onward === null) return null;
    const quantities = this.#controls.filter(({ role, name }) => role === "combobox" && /^Quantity of /.test(name));
    if (quantities.some(({ name }) => name !== `Quantity of ${product}`))
      return giveUp("goal_unreachable", "The cart holds other products as well.");
    const own = quantities.find(({ name }) => name === `Quantity of ${product}`);
    const update = this.#find(["button"], new RegExp(`^Update ${product}`));
    if (own !== undefined && own.value !== String(quantity) && update !== null) {
      const change = commit(this.#click(update), `Set the quantity of ${product} to ${quantity}.`);
      return [this.#use("select", own, { options: [String(quantity)] }), change];
    }
    return this.#click(onward);
  }

  #atProduct(): Call | readonly Call[] | null {
    const { product, quantity } = this.#order;
    if (this.#heading !== product) return null;
    const add = this.#find(["button", "link"], ADD);
    if (add === null) return giveUp("refused_by_site", "The site does not sell it now.");
    const cart = this.#find(["link"], /^cart, [1-9]/i);
    if (cart !== null) return this.#click(cart);
    const list = this.#find(["combobox", "spinbutton", "textbox"], QUANTITY);
    if (list === null && quantity !== 1) return giveUp("goal_unreachable", "No quantity can be chosen.");
    if (list !== null && list.value !== String(quantity)) {
      if (list.role !== "combobox") return this.#use("fill", list, { text: String(quantity) });
      return this.#use("select", list, { options: [String(quantity)] });
    }
    return commit(this.#click(add), `Add ${quantity} ${product} to the cart.`);
  }

  #search(): Call {
    const { product } = this.#order;
    const found = this.#controls.filter(({ role, name }) => (role === "link" || role === "button") && name === product);
    const [first, ...more] = found;
    if (more.length > 0) return giveUp("unclear_task", `There are several products called ${product}.`);
    if (first !== undefined) return this.#click(first);
    const field = this.#find(["searchbox", "textbox"], SEARCH);
    if (field === null || field.value === product) return giveUp("goal_unreachable", `There is no ${product}.`);
    return this.#use("fill", field, { text: product, submit: true });
  }

  #find(roles: readonly string[], name: RegExp): Control | null {
    return this.#controls.find((control) => roles.includes(control.role) && name.test(control.name)) ?? null;
  }

  #click(control: Control): Call {
    return this.#use("click", control, {});
  }

  #use(name: string, { ref, name: label }: Control, input: object): Call {
    return { name, input: { ref, label, ...input } };
  }
}

function isChecked({ rest }: Control): boolean {
  return /\[[^\]]*(?<!un)checked/.test(rest);
}

function commit({ name, input }: Call, sentence: string): Call {
  return { name, input: { ...input, commit: sentence } };
}

function giveUp(kind: string, reason: string): Call {
  return { name: "give_up", input: { kind, reason } };
}
