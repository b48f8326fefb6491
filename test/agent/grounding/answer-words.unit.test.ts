import { describe, expect, test } from "vitest";
import { findConfirmation, findFailure } from "../../../src/agent/grounding/failure-words.ts";
import { isForeignProse, isForeignTask } from "../../../src/agent/grounding/prose.ts";
import { toPhrase } from "../../../src/agent/grounding/similarity.ts";

describe("the result that was asked for is no failure", () => {
  const asked = (prompt: string) => toPhrase(prompt).stems;

  test.each([
    ["Close my account.", "Your account is now closed."],
    ["Block my card.", "Your card is blocked."],
    ["Unsubscribe me.", "You are no longer subscribed."],
  ])("%s %s", (prompt, line) => {
    expect(findFailure(line, asked(prompt))).toBeNull();
    expect(findConfirmation(line, asked(prompt))).not.toBeNull();
    expect(findFailure(line)).not.toBeNull();
  });

  test.each([
    ["Close my account.", "Your account is not closed."],
    ["Block my card.", "Your card is no longer blocked."],
    ["Order the spoon.", "Our shop is closed."],
  ])("%s %s", (prompt, line) => {
    expect(findFailure(line, asked(prompt))).not.toBeNull();
  });
});

describe("a short line says that what was asked for is done", () => {
  const asked = toPhrase('Type "update products set stock = 100" into the text area and click Execute.').stems;

  test.each(["Query executed OK, 1 row affected.", "Executed.", "2 statements executed."])("%s", (line) => {
    expect(findConfirmation(line, asked)).not.toBeNull();
    expect(findConfirmation(line)).toBeNull();
  });

  test.each([
    "Query not executed.",
    "Executed queries",
    "Executed: 3 May",
    "Query executed OK, 0 rows affected.",
    "0 rows updated.",
    "No products changed.",
    "Query finished.",
  ])("not: %s", (line) => {
    expect(findConfirmation(line, asked)).toBeNull();
  });
});

describe("another language", () => {
  test.each([
    ["Archive the branch El Paso.", false],
    ["Archive the user José Núñez.", false],
    ["Show Los Angeles, El Paso and Las Vegas.", false],
    ["Remove Oscar de la Renta.", false],
    ["Sperre das Mitglied Anna Berg.", true],
    ["Lösche Anna Berg.", true],
    ["Commande la cuillère.", true],
  ])("%s %s", (prompt, expected) => {
    expect(isForeignTask(prompt)).toBe(expected);
  });

  test.each([
    [["Los Angeles", "El Paso", "Las Vegas", "José Núñez", "Oscar de la Renta"], false],
    [["Add a member", "José Núñez", "Zoë Çelik", "Ana Peña is away"], false],
    [["Kontakt", "Vielen Dank!", "Wir rufen Sie innerhalb von zwei Tagen an."], true],
    [["Merci pour votre commande"], true],
    [["注文を受け付けました。", "ありがとうございます。"], true],
  ])("%j %s", (lines, expected) => {
    expect(isForeignProse(lines)).toBe(expected);
  });
});
