import { describe, expect, test } from "vitest";
import { checkEffect } from "../../../src/agent/verifier/check-effect.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import type { NetworkRecord } from "../../../src/browser/session/network-record.ts";
import { field, node } from "../../_harness/observed.ts";
import {
  area,
  box,
  button,
  click,
  FETCH,
  FORM,
  fill,
  form,
  items,
  link,
  page,
  type Run,
  SITE,
  START,
  text,
  title,
  toCase,
} from "../../_harness/site-run.ts";

const isShown = (run: Run) => checkEffect(toCase(run)).length === 0;

const CHECKOUT = page("/checkout", title("Checkout"), text("Oak spoon 1 x €3.50"), button("Place order"));
/** An order after which the site leads to this page. */
const orderLeadsTo = (prompt: string, ...children: ObservedNode[]): Run => ({
  prompt,
  pages: [CHECKOUT, page("/x", ...children)],
  deeds: [click("Place order", 0, FORM)],
});
const PROJECT = [title("Projects"), text("Alder bridge"), text("Open for 3 days"), button("Archive")];
/** A click on "Archive" after which the page shows this, to the run and then to a fresh browser. */
const archive = (before: ObservedNode[], after: ObservedNode[], fresh: ObservedNode[]): Run => ({
  prompt: "Archive the project Alder bridge.",
  pages: [page("/p", ...before), page("/p", ...after)],
  deeds: [click("Archive", 0, FETCH)],
  fresh: [page("/p", ...fresh)],
});
const same = (children: ObservedNode[]) => archive(children, children, children);

describe("a page about something else is no sign of an order", () => {
  test.each([
    ["an old order", "Order the spoon.", [title("Shop"), text("Order 4710, delivered on 3 May")]],
    [
      "a list of old orders",
      "Order the spoon.",
      [title("Your orders"), items("Order 4710 Oak spoon, placed on 3 May")],
    ],
    ["old orders with titles", "Order the spoon.", [title("Your orders"), text("Order 4709"), text("Order 4710")]],
    ["accepted cards", "Order the spoon and pay by card.", [title("Shop"), text("All major credit cards accepted.")]],
    ["the date of an update", "Order the spoon.", [title("Shop"), text("Last updated on 3 May 2025")]],
    ["a standard", "Order the spoon.", [title("Shop"), text("We are certified by ISO-9001 rules")]],
    ["the product", "Order the oak spoon.", [title("Shop"), text("Oak Spoon €3.50 ★★★★")]],
    ["the page of the product", "Order the oak spoon.", [title("Oak Spoon")]],
    [
      "states of other things",
      "Order the spoon.",
      [title("Shop"), text("Sent"), text("Completed"), text("Posted by Jo")],
    ],
    ["stories", "Order the spoon.", [title("Success stories"), text("See you in our shop"), title("COVID-19")]],
    ["a footer", "Order the spoon.", [title("Shop"), area("contentinfo", text("Thank you for your trust"))]],
    ["a notice", "Order the spoon.", [area("dialog", text("We have updated our privacy policy."))]],
    ["thanks to visitors", "Order the spoon.", [title("Thank you for visiting our shop")]],
    ["the last number", "Order the spoon.", [title("Shop"), text("Your last order number was T-4700."), text("R-31")]],
    ["nothing", "Order the spoon.", [title("Shop"), text("Welcome")]],
  ])("%s", (_, prompt, children) => {
    expect(isShown(orderLeadsTo(prompt, ...children))).toBe(false);
  });
});

describe("a page about the order is a sign of it", () => {
  test.each([
    ["thanks", [title("Shop"), text("Thank you for your order.")]],
    ["a title", [title("Order placed")]],
    ["a title of one word", [title("Ordered")]],
    ["the page of the order", [title("Order #4711"), text("Status: new")]],
    ["its number", [title("Shop"), text("Your order number is 4711.")]],
    [
      "its number, among others",
      [title("Order complete"), text("Your order number is T-4711."), text("Parcel P-20, invoice R-31")],
    ],
    ["its number with emphasis", [title("Shop"), text("Your order number is"), text("T-4711"), text("Invoice R-31")]],
    ["a sentence to the user", [title("Shop"), text("We've received your order.")]],
    ["a message in a list", [title("Shop"), items("Your order was placed.")]],
    ["a message", [title("Shop"), area("status", text("Oak spoon ordered"))]],
    ["a short message anywhere", [title("Products"), text("Order 4711 placed")]],
  ])("%s", (_, children) => {
    expect(isShown(orderLeadsTo("Order the spoon.", ...children))).toBe(true);
  });

  test.each([
    [
      "a sentence",
      [title("Vielen Dank für Ihre Bestellung!"), text("Bitte antworten Sie nicht auf unsere E-Mail.")],
      true,
    ],
    ["only a refusal", [title("Die Bestellung wurde leider nicht angenommen.")], false],
    [
      "a refusal that stands out",
      [area("alert", text("Das ist leider nicht möglich.")), text("Wir sind für Sie da.")],
      false,
    ],
  ])("in another language: %s", (_, children, expected) => {
    expect(isShown(orderLeadsTo("Bestelle den Löffel.", ...children))).toBe(expected);
  });
});

describe("a database console counts the rows of a statement", () => {
  const statementLeadsTo = (message: string): Run => ({
    prompt: 'Type "update products set stock = 0" into the text area and click Execute.',
    pages: [page("/sql", title("SQL"), button("Execute")), page("/x", title("Database"), text(message))],
    deeds: [click("Execute", 0, FORM)],
  });

  test.each([
    ["Query executed OK, 3 rows affected. (0.002 s)", true],
    ["Query executed, 1 row affected. (took 12 ms)", true],
    ["Query executed OK, 0 rows affected. (0.002 s)", false],
    ["Query 17 executed, user 4", false],
    ["Statement 12 executed. (17 of 20)", false],
  ])("%s", (message, expected) => {
    expect(isShown(statementLeadsTo(message))).toBe(expected);
  });
});

test("a cart that the run had not seen shows what was added", () => {
  const leadsTo = (...children: ObservedNode[]): Run => ({
    prompt: "Add the blue mug to the cart.",
    pages: [page("/mug", title("Blue mug"), button("Add to cart")), page("/cart", ...children)],
    deeds: [click("Add to cart", 0, FORM)],
  });
  expect(isShown(leadsTo(title("Your cart"), items("Blue mug €12.00")))).toBe(true);
  expect(isShown(leadsTo(title("Your cart"), text("Your cart is empty.")))).toBe(false);
  expect(isShown(leadsTo(title("Mugs"), items("Blue mug €12.00")))).toBe(false);
});

describe("what was sent, shown in words", () => {
  const run = (list: ObservedNode, prompt = "Add a comment: lovely bridge."): Run => ({
    prompt,
    pages: [page("/new", title("New"), box("Comment", ""), button("Add comment")), page("/list", title("All"), list)],
    deeds: [fill("Comment", "lovely bridge", 0), click("Add comment", 0, form("comment=lovely bridge"))],
  });

  test("is a sign in a list that the run had not seen", () => {
    expect(isShown(run(items("Nice", "lovely bridge")))).toBe(true);
    expect(isShown(run(items("Nice")))).toBe(false);
  });

  test("is none when the page says that it failed", () => {
    expect(isShown(run(area("status", text("Could not add lovely bridge"))))).toBe(false);
  });
});

describe("a card or a new password on the page changes nothing", () => {
  test.each([
    [
      "an order that is paid by card",
      box("Card number", "••••", { isSecret: true, autocomplete: "cc-number" }),
      "Place order",
    ],
    ["a new password", box("New password", "••••", { isSecret: true, autocomplete: "new-password" }), "Save"],
  ])("%s", (_, secret, label) => {
    const start = page("/account", title("Account"), secret, button(label));
    const prompt = `Click ${label}.`;
    const run = { prompt, pages: [start, page("/", title("Welcome"))], deeds: [click(label, 0, FORM)] };
    expect(isShown(run)).toBe(false);
  });

  test("but a sign-in needs no sign", () => {
    const secret = node("textbox", "Password", {
      ref: "p",
      field: field("password", { isSecret: true }),
      value: "••••",
    });
    const run = (label: string, path: string): Run => ({
      prompt: "Sign in and enter the club.",
      pages: [page(path, title("Club"), secret, button(label)), page("/", title("Welcome"))],
      deeds: [click(label, 0, FORM)],
    });
    expect(isShown(run("Enter", "/login"))).toBe(true);
    expect(isShown(run("Enter", "/club"))).toBe(false);
    expect(isShown(run("Order", "/login"))).toBe(false);
  });
});

describe("a label that mostly is on the way", () => {
  const invitation = (label: string) => [title("Invitation"), text("Kim invites you."), button(label)];
  const answer = (prompt: string, label: string): Run => ({
    prompt,
    pages: [page("/i", ...invitation(label)), page("/i", ...invitation(label))],
    deeds: [click(label, 0, FETCH)],
  });

  test("counts when the task names it", () => {
    expect(isShown(answer("Accept the invitation from Kim.", "Accept"))).toBe(false);
    expect(isShown(answer("Close the ticket.", "Close"))).toBe(false);
    expect(isShown(answer("Accept the cookies and read the news.", "Accept"))).toBe(true);
    expect(isShown(answer("Order the spoon.", "Continue"))).toBe(true);
  });

  test.each(["OK", "Continue"])("counts when it answers what the step before opened: %s", (label) => {
    const asking = [...PROJECT, area("dialog", text("Are you sure?"), button(label), button("Cancel"))];
    const run: Run = {
      prompt: "Archive the project Alder bridge.",
      pages: [page("/p", ...PROJECT), page("/p", ...asking), page("/p", ...PROJECT)],
      deeds: [click("Archive", 0), click(label, 1, FETCH)],
    };
    expect(isShown(run)).toBe(false);
    const gone = page("/p", title("Projects"));
    expect(isShown({ ...run, pages: [...run.pages.slice(0, 2), gone], fresh: [gone] })).toBe(true);
  });
});

test("a search on the page says nothing about a later click", () => {
  const search = (value: string) => node("searchbox", "Search", { ref: "Search", field: field("search"), value });
  const found = (value: string) => page("/r", title("Requests"), search(value), text("Larch"), button("Approve"));
  const prompt = "Search for Larch and approve its request.";
  const deeds = [fill("Search", "Larch", 0), click("Approve", 1, FETCH)];
  expect(isShown({ prompt, pages: [found(""), found("Larch"), found("Larch")], deeds })).toBe(false);
});

describe("what is asked or loaded before is no sign", () => {
  const ignored = same(PROJECT);

  test("a question of the browser", () => {
    const message = "Archive the project Alder bridge?";
    expect(isShown({ ...ignored, dialogs: [{ kind: "confirm", message }] })).toBe(false);
    expect(isShown({ ...ignored, dialogs: [{ kind: "alert", message: "The project was archived." }] })).toBe(true);
  });

  test("a message of an earlier step", () => {
    const deeds = [{ call: { action: "dialog", input: { accept: true } }, on: 0 }, click("Archive", 0, FETCH)];
    const dialogs = [{ kind: "alert" as const, message: "Your session was confirmed." }];
    expect(isShown({ ...ignored, deeds, dialogs })).toBe(false);
  });

  test("a question of the page", () => {
    const asking = [...PROJECT, area("dialog", text("Archive the project Alder bridge?"))];
    expect(isShown(archive(PROJECT, asking, PROJECT))).toBe(false);
  });

  test("a download", () => {
    const url = `${SITE}/invoice.pdf`;
    const before = { url, startedAt: new Date(START) };
    const after = { url, startedAt: new Date(START + 60_000) };
    expect(isShown({ ...ignored, downloads: [url], requests: [before] })).toBe(false);
    expect(isShown({ ...ignored, downloads: [url], requests: [after] })).toBe(true);
    const made = "blob:https://shop.example/1";
    const deeds = [click("Download", 0), click("Archive", 0, FETCH)];
    expect(isShown({ ...ignored, downloads: [made] })).toBe(true);
    expect(isShown({ ...ignored, deeds, downloads: [made] })).toBe(false);
  });
});

describe("pages that change by themselves", () => {
  const with1 = (...more: ObservedNode[]) => [...PROJECT, ...more];
  const tab = (selected: boolean) => node("tab", "Picture 2", { ref: "t", states: { selected } });

  test.each([
    ["those who look at it", text("3 people are viewing this"), text("4 people are viewing this")],
    ["a number that the run's own tab shows otherwise", text("Rank 3"), text("Rank 5")],
    ["another picture", tab(false), tab(true)],
    ["an advertisement", text("Buy two lamps"), text("Rent a boat")],
  ])("%s", (_, before, now) => {
    expect(isShown(archive(with1(before), with1(before), with1(now)))).toBe(false);
  });

  test.each([
    ["a date", text("Due on 9 April"), text("Due on 23 April")],
    ["a button", button("Watch"), button("Watching it")],
  ])("but %s that the run's own tab showed as well is a sign", (_, before, now) => {
    expect(isShown(archive(with1(before), with1(now), with1(now)))).toBe(true);
  });

  test("and so is what is gone of the thing of the task, though the run's own tab has not noticed", () => {
    expect(isShown(archive(PROJECT, PROJECT, [title("Projects")]))).toBe(true);
    const likes = (count: number) => page("/p", title("Larch"), text(`${count} likes`), button("Like"));
    const like: Run = {
      prompt: "Like the project Larch.",
      pages: [likes(3), likes(3)],
      deeds: [click("Like", 0, FETCH)],
      fresh: [likes(4)],
    };
    expect(isShown(like)).toBe(true);
  });

  test("a number that changed before, when nothing was sent, is none", () => {
    const state = (count: number) => page("/p", ...PROJECT, text(`Rank ${count}`));
    const run: Run = {
      prompt: "Archive the project Alder bridge.",
      pages: [state(1), state(2), state(3)],
      deeds: [click("Archive", 1, FETCH)],
      fresh: [state(3)],
    };
    expect(isShown(run)).toBe(false);
  });
});

test("what an earlier commit wrote in a dialog is no sign of a second one there", () => {
  const list = (name: string, ...more: ObservedNode[]) =>
    page("/p", title("Projects"), text(name), text("Open for 3 days"), ...more);
  const dialog = (name: string) => area("dialog", title(name), box("Title", name), button("Save"), button("Archive"));
  const open = (name: string) => list("Alder bridge", dialog(name));
  const run: Run = {
    prompt: "Rename the project Alder bridge to Elm bridge and archive it.",
    pages: [list("Alder bridge"), open("Alder bridge"), open("Elm bridge"), open("Elm bridge")],
    deeds: [fill("Title", "Elm bridge", 1), click("Save", 1, form("title=Elm bridge")), click("Archive", 2, FETCH)],
    fresh: [list("Elm bridge")],
  };
  expect(isShown(run)).toBe(false);
  const gone = page("/p", title("Projects"));
  expect(isShown({ ...run, pages: [...run.pages.slice(0, 3), gone], fresh: [gone] })).toBe(true);
});

test("a page that leads elsewhere is a sign only if it did not before", () => {
  const review = page("/review", title("Review"), text("Oak spoon"), button("Place order"));
  const elsewhere = { ...page("/review", title("Step one")), note: "a fresh browser was redirected", isGone: true };
  const run: Run = {
    prompt: "Order the spoon.",
    pages: [review, review],
    deeds: [click("Place order", 0, FETCH)],
    fresh: [elsewhere],
  };
  expect(isShown(run)).toBe(false);
  const opened = { url: `${SITE}/review`, isNavigation: true, status: 200, startedAt: new Date(START) };
  expect(isShown({ ...run, requests: [opened] })).toBe(true);
});

test("a field that holds what was entered is a sign of the commit that sent it", () => {
  const team = page("/t", title("Team"), box("Your nickname", "Jo Larch"), button("Leave the team"), button("Save"));
  const run = (label: string, sends: Partial<NetworkRecord>): Run => ({
    prompt: "Set my nickname to Jo Larch and leave the team.",
    pages: [team, team],
    deeds: [fill("Your nickname", "Jo Larch", 0), click(label, 0, sends)],
  });
  expect(isShown(run("Leave the team", FETCH))).toBe(false);
  expect(isShown(run("Leave the team", form("nick=Jo Larch")))).toBe(true);
  expect(isShown(run("Save", FETCH))).toBe(true);
});

test("names of places are no other language", () => {
  const branches = (...more: ObservedNode[]) => [
    title("Branches"),
    text("Los Angeles"),
    text("El Paso"),
    text("Las Vegas"),
    ...more,
    button("Archive"),
  ];
  const run = archive(branches(), branches(text("Tip: sort by name")), branches());
  expect(isShown({ ...run, prompt: "Archive the branch El Paso." })).toBe(false);
});

test("a link that only led to its page is not what was to be done", () => {
  const projects = (...more: ObservedNode[]) => page("/p", title("Projects"), ...more, link("Orders", "/orders"));
  const run: Run = {
    prompt: "Archive Alder bridge, then open Orders.",
    pages: [projects(text("Alder bridge"), button("Archive")), projects(), page("/orders", title("Orders"))],
    deeds: [click("Archive", 0, FETCH), click("Orders", 1, { url: `${SITE}/api/events`, status: 200 })],
    fresh: [projects(), page("/orders", title("Orders"))],
  };
  expect(isShown(run)).toBe(true);
});
