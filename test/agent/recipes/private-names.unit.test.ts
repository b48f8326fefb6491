import { describe, expect, it } from "vitest";
import { MASK } from "../../../src/agent/actions/public-call.ts";
import type { AttributedWrite } from "../../../src/agent/actions/side-effects.ts";
import type { Step } from "../../../src/agent/steps/step.ts";
import { node, request } from "../../_harness/observed.ts";
import { bodyOf, CART, control, page, reasonOf, textbox } from "../../_harness/taught-run.ts";

describe("learning from pages that are about a user", () => {
  it("refuses secrets", () => {
    const signIn = page("/sign-in", textbox("Code", { isSecret: true }), textbox("Password"));
    const entered = { on: signIn, action: "fill", name: "Code", input: { text: "4711" } };
    expect(reasonOf({ prompt: "Enter the code 4711.", done: [entered], last: CART })).toBe("It enters a secret.");
    const masked = { on: signIn, action: "fill", name: "Password", input: { text: MASK } };
    expect(reasonOf({ prompt: `Enter ${MASK}.`, done: [masked], last: CART })).toBe("It enters a secret.");
  });

  it("refuses prompts with a secret, also when steps use it", () => {
    const prompt = "Sign in as jo with the password hunter2 and open Orders.";
    const steps: Step[] = [{ sign_in: { user: "jo", password: "hunter2" } }, { open: "Orders" }];
    const reason = reasonOf({ prompt, done: [], last: CART, more: { steps } });
    expect(reason).toContain("secret");
    expect(reason).not.toContain("hunter2");
    const typed: Step[] = [{ fill: { target: "Password", value: "s3same" } }];
    const told = reasonOf({ prompt: "Type s3same into Password.", done: [], last: CART, more: { steps: typed } });
    expect(told).toContain("secret");
    expect(told).not.toContain("s3same");
  });

  const ACCOUNT = page(
    "/account",
    node("table", "Your orders", {
      children: ["T-1014", "T-1015"].map((number) =>
        node("row", "", {
          children: [
            node("cell", "", { children: [control("link", number)] }),
            node("cell", "Delivered"),
            node("cell", "", { children: [control("button", `Return ${number}`)] }),
          ],
        }),
      ),
    }),
    node("list", "", {
      children: ["12 Lantern Lane", "3 Harbour Steps"].map((street) =>
        node("listitem", "", { children: [node("text", street), control("link", `Edit ${street}`)] }),
      ),
    }),
    node("list", "", {
      children: ["Ada Lovelace", "Mary Shelley"].map((name) =>
        node("listitem", "", { children: [node("text", name), control("button", `Remove ${name}`)] }),
      ),
    }),
    control("radio", "Demo Shopper"),
    control("button", "Your account, Ada Lovelace"),
    control("link", "Cart, 2 items"),
    control("button", "Save, and go on"),
  );

  it.each(["T-1015", "Edit 3 Harbour Steps", "Demo Shopper", "Return T-1014", "Remove Ada Lovelace"])(
    "refuses to keep what a page says about its user: %s",
    (name) => {
      const reason = reasonOf({
        prompt: "Remove my sister.",
        done: [{ on: ACCOUNT, action: "click", name }],
        last: ACCOUNT,
      });
      expect(reason).toMatch(/is named neither in the prompt nor by the site itself|cannot be told from others/);
    },
  );

  it.each([
    ["Your account, Ada Lovelace", "Your account"],
    ["Cart, 2 items", "Cart"],
    ["Save, and go on", "Save, and go on"],
  ])("keeps of a name what is the same for all users: %s", (name, kept) => {
    const body = bodyOf({ prompt: "See to it.", done: [{ on: ACCOUNT, action: "click", name }], last: ACCOUNT });
    expect(body.steps[0]).toMatchObject({ click: { name: kept } });
  });

  it.each([
    ["Thank you, Ada Lovelace", [{ expect: { text: "Thank you" } }]],
    ["Ada, your cart is saved", []],
    ["Saved as T-1015 for you", []],
    ["It is saved.", [{ expect: { text: "It is saved." } }]],
  ])("keeps of a proof what is the same for all users: %s", (text, expected) => {
    const conditions = [{ kind: "text" as const, url: CART.url, text, about: "" }];
    const cause = { step: 1, effect: "mutate" } as unknown as AttributedWrite["cause"];
    const { steps } = bodyOf({
      prompt: "Save my cart.",
      done: [{ on: CART, action: "click", name: "Apply" }],
      last: CART,
      more: {
        claim: { answer: "", facts: [], extraction: null, conditions },
        writes: [{ write: request({ isNavigation: true }), cause }],
      },
    });
    expect(steps.slice(1)).toEqual(expected);
  });

  /** Learns how to read "€40" on a page with these texts. */
  function learnToRead(...texts: string[]): string {
    const last = page("/budget", ...texts.map((text) => node("paragraph", text)));
    const facts = [{ label: "limit", value: "€40", quote: "€40", url: last.url }];
    return reasonOf({
      prompt: "Click Apply. How much may I spend?",
      done: [{ on: CART, action: "click", name: "Apply" }],
      last,
      facts,
    });
  }

  it.each([
    [["You may spend €40."], "You may spend"],
    [["You may spend €40.", "Here is what you may do. You may also wait."], "You may spend"],
    [["Your limit for Books: €40"], "Your limit for Books"],
    [["Total Due €40"], "Total Due"],
  ])("keeps a sentence of the site to read what follows: %j", (texts, label) => {
    expect(learnToRead(...texts)).toContain(`"label":"${label}"`);
  });

  it.each([
    [["Odile Quenby, you may spend €40."]],
    [["You may, Odile, spend €40."]],
    [["Odile may spend €40.", "Welcome back, Odile"]],
    [["Odile may spend €40.", "We miss Odile."]],
    [["Odile may spend €40.", "Signed in: Odile"]],
    [["Odile may spend €40.", "Account (Odile)"]],
    [["Odile may spend €40.", "Odile"]],
    [["You and O’Brien may spend €40."]],
  ])("keeps no sentence that may name somebody: %j", (texts) => {
    expect(learnToRead(...texts)).toContain("in a way that steps cannot repeat");
  });

  it("keeps what the prompt names as a variable", () => {
    const body = bodyOf({
      prompt: "Open order T-1015.",
      done: [{ on: ACCOUNT, action: "click", name: "T-1015" }],
      last: ACCOUNT,
    });
    expect(body.template).toBe("Open order <item>.");
    expect(JSON.stringify(body)).not.toContain("1015");
  });
});
