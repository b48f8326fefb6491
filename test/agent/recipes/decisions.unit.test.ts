import { describe, expect, it } from "vitest";
import { BOUGHT, CART, reasonOf, teach } from "../../_harness/taught-run.ts";

describe("learning from a prompt that leaves something to decide", () => {
  it.each([
    ["if", "Put 2 of the Brindle Kettle into my cart if it costs less than the skillet."],
    ["unless", "Put 2 of the Brindle Kettle into my cart unless it is there."],
    ["or", "Put 2 of the Brindle Kettle or the skillet into my cart."],
    ["wenn", "Lege 2 Stück Brindle Kettle in den Warenkorb, wenn er da ist."],
    ["außer", "Lege 2 Stück Brindle Kettle in den Warenkorb, außer er ist teuer."],
    ["si", "Mets 2 Brindle Kettle dans le panier si possible."],
    ["salvo", "Pon 2 Brindle Kettle en el carrito, salvo que esté."],
    ["se", "Metti 2 Brindle Kettle nel carrello se ci sono."],
    ["tenzij", "Leg 2 Brindle Kettle in de mand, tenzij het er al is."],
    ["jeśli", "Dodaj 2 Brindle Kettle do koszyka, jeśli jest."],
    ["если", "Положи 2 Brindle Kettle в корзину, если есть."],
    ["Eğer", "Eğer varsa sepete 2 Brindle Kettle koy."],
    ["如果", "如果有货，把2个 Brindle Kettle 放进购物车。"],
    ["場合", "在庫がある場合、Brindle Kettle を 2 個入れて。"],
    ["만약", "만약 있으면 Brindle Kettle 2 개를 담아 줘."],
    ["إذا", "ضع 2 من Brindle Kettle في السلة إذا كان متوفرا."],
  ])("refuses a condition: %s", (word, prompt) => {
    expect(reasonOf({ prompt, done: BOUGHT, last: CART })).toContain(`has a condition ("${word}`);
  });

  it.each([
    ["cheapest", "Put 2 of the cheapest Brindle Kettle into my cart."],
    ["latest", "Put 2 of the latest Brindle Kettle into my cart."],
    ["all", "Put 2 of all Brindle Kettle into my cart."],
    ["günstigste", "Lege 2 Mal den günstigsten Brindle Kettle in den Warenkorb."],
    ["älteste", "Lege 2 Mal den ältesten Brindle Kettle in den Warenkorb."],
    ["dernier", "Mets 2 fois le dernier Brindle Kettle dans le panier."],
    ["último", "Pon 2 veces el último Brindle Kettle en el carrito."],
    ["más barata", "Pon 2 veces la más barata Brindle Kettle en el carrito."],
    ["migliore", "Metti 2 volte il migliore Brindle Kettle nel carrello."],
    ["goedkoopste", "Leg 2 keer de goedkoopste Brindle Kettle in de mand."],
    ["mais barato", "Põe 2 vezes o mais barato Brindle Kettle no carrinho."],
    ["najtańszy", "Dodaj 2 razy najtańszy Brindle Kettle do koszyka."],
    ["последний", "Положи 2 раза последний Brindle Kettle в корзину."],
    ["最便宜", "把2个最便宜的 Brindle Kettle 放进购物车。"],
    ["最新", "最新の Brindle Kettle を 2 個入れて。"],
  ])("refuses a choice that the run would have to make again: %s", (_, prompt) => {
    expect(reasonOf({ prompt, done: BOUGHT, last: CART })).toContain("leaves a choice to the run");
  });

  it("does not take a quoted condition for one", () => {
    const sent = { on: CART, action: "fill", name: "Voucher code", input: { text: "IF NOT, THE LAST" } };
    expect(teach({ prompt: 'Enter the voucher "IF NOT, THE LAST".', done: [sent], last: CART }).kind).toBe("learned");
  });

  it.each([
    ["20", "Put 2 of the Brindle Kettle into my cart for less than 20."],
    ["2026-05-01", "Put 2 of the Brindle Kettle into my cart by 2026-05-01."],
    ["jo@example.com", "Put 2 of the Brindle Kettle into the cart of jo@example.com."],
    ["matte blue", 'Put 2 of the Brindle Kettle "matte blue" into my cart.'],
    ["1", "Put 2 of the Brindle Kettle into my cart and 1 of them into the other."],
  ])("refuses what the prompt says and no step uses: %s", (said, prompt) => {
    const reason = reasonOf({ prompt: prompt.replace("the other", "a bag"), done: BOUGHT, last: CART });
    expect(reason).toContain(`The prompt says "${said}"`);
  });
});
