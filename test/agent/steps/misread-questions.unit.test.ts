import { describe, expect, test } from "vitest";
import { Stop } from "../../../src/agent/steps/run.ts";
import type { ObservedNode } from "../../../src/browser/observation/observation.ts";
import { answer, page, pairs, table, URL } from "../../_harness/answers.ts";
import { node } from "../../_harness/observed.ts";

const heading = (name: string, level = 1) => node("heading", name, { states: { level } });
/** A page about something, with what it says. */
const about = (name: string, values: Record<string, string>) => page(heading(name), pairs(values));
/** A page of several. */
const paged = (...parts: ObservedNode[]) =>
  page(
    ...parts,
    node("navigation", "Pagination", { children: [node("link", "Next", { url: `${URL}?page=2`, ref: "e1" })] }),
  );

type Case = readonly [question: string, values: Record<string, string>, answer: string | null];

function check([question, values, expected]: Case): void {
  const said = answer(question, about("T-1", values));
  if (expected === null) expect(said).toBeInstanceOf(Stop);
  else expect(said).toEqual([expected]);
}

describe("who", () => {
  test.each<Case>([
    ["Who delivered T-1?", { "Delivered to": "Kim" }, null],
    ["Who delivered T-1?", { "Delivered to": "Kim", "Delivered by": "Lee" }, "Lee"],
    ["Who paid T-1?", { "Paid to": "Ann Ltd", Payer: "Bob" }, "Bob"],
    ["Who paid T-1?", { "Paid to": "Ann Ltd", Payee: "Ann Ltd" }, null],
    ["Who paid T-1?", { Paid: "Bank transfer", Payment: "By card" }, null],
    ["Who sent T-1?", { "Sent to": "Kim" }, null],
    ["Who sent T-1?", { "Sent to": "Kim", Sender: "Lee" }, "Lee"],
    ["Who was T-1 sent to?", { "Sent to": "Kim", "Sent by": "Lee" }, "Kim"],
    ["Who was T-1 sent by?", { "Sent to": "Kim", "Sent by": "Lee" }, "Lee"],
    ["Who assigned T-1?", { Assignee: "Kim", "Assigned to": "Kim" }, null],
    ["Who is T-1 assigned to?", { "Assigned by": "Lee" }, null],
    ["Who is T-1 assigned to?", { "Assigned by": "Lee", Assignee: "Kim" }, "Kim"],
    ["Who is T-1 assigned to?", { "Assigned to": "Kim" }, "Kim"],
    ["Who employs T-1?", { Employee: "Kim", Employment: "Full time" }, null],
    ["Who approved T-1?", { Approver: "Kim", Status: "Pending" }, null],
    ["Who approved T-1?", { Approver: "Kim", Status: "Approved" }, "Kim"],
    ["Who approved T-1?", { Approver: "Kim", Approval: "Pending" }, "Kim"],
    ["Who reported T-1?", { Reporter: "Kim", Status: "Open" }, "Kim"],
    ["Who wrote T-1?", { Author: "Kim" }, "Kim"],
    ["Who owns T-1?", { Owner: "Kim", "Owned since": "Lisbon" }, "Kim"],
    ["Who leads T-1?", { Lead: "Kim" }, "Kim"],
    ["Who supports T-1?", { Support: "Basic" }, null],
  ])("%s %o", (...given) => check(given));
});

describe("when", () => {
  test.each<Case>([
    ["When was T-1 delivered?", { Status: "In transit", Delivery: "2027-05-12" }, null],
    ["When was T-1 delivered?", { Status: "In transit", Delivery: "2026-05-12" }, null],
    ["When was T-1 delivered?", { Status: "In transit", Delivered: "2027-05-12" }, null],
    ["When was T-1 delivered?", { Status: "Delivered", Delivery: "2026-05-12" }, "2026-05-12"],
    ["When was T-1 delivered?", { Delivered: "2026-05-12", "Delivery by": "2026-05-20" }, "2026-05-12"],
    ["When is T-1 delivered?", { Status: "In transit", Delivery: "2027-05-12" }, "2027-05-12"],
    ["When will T-1 be delivered?", { "Delivery date": "2027-05-12" }, "2027-05-12"],
    ["When will T-1 arrive?", { Arrived: "2026-05-12" }, null],
    ["When was T-1 paid?", { "Pay by": "2026-05-12", "Payment due": "2026-05-12" }, null],
    ["When does it renew?", { Renewed: "2026-02-01", "Next renewal": "2027-02-01" }, "2027-02-01"],
    ["When did it renew?", { Renewed: "2026-02-01", "Next renewal": "2027-02-01" }, "2026-02-01"],
    ["When does it renew?", { "Last renewed": "2026-02-01" }, null],
    ["When did T-1 start?", { Start: "2027-02-01" }, null],
    ["When did T-1 start?", { "Start date": "2026-02-01", "Account status": "Active" }, "2026-02-01"],
    ["When was it last updated?", { Created: "2026-01-01", Updated: "2026-02-01" }, "2026-02-01"],
    ["When was T-1 created?", { Created: "2026-01-01", Updated: "2026-02-01", Status: "Open" }, "2026-01-01"],
    ["When was T-1 due?", { Due: "2026-01-01", Status: "Open" }, "2026-01-01"],
    ["When is it due?", { "Due date": "2027-01-01" }, "2027-01-01"],
  ])("%s %o", (...given) => check(given));
});

describe("whether", () => {
  test.each<Case>([
    ["Is the backup encrypted?", { Backup: "Yes" }, null],
    ["Is the backup encrypted?", { Backup: "Encrypted" }, "Yes: Encrypted"],
    ["Is the backup encrypted?", { "Backup encrypted": "No" }, "No"],
    ["Is Gift wrap hidden?", { "Gift wrap": "Yes" }, null],
    ["Is Gift wrap included?", { "Gift wrap": "Yes" }, "Yes"],
    ["Is the backup off?", { Backup: "Yes" }, "No: Backup – Yes"],
    ["Is T-1 enabled?", { "Two-factor status": "Enabled" }, null],
    ["Is T-1 active?", { "Backup status": "Active" }, null],
    ["Is T-1 active?", { "Backup status": "Active", Status: "Inactive" }, "No: Inactive"],
    ["Is T-1 paid?", { "Payment status": "Paid", "Delivery status": "Pending" }, "Yes: Paid"],
    ["Is T-1 paid?", { Status: "Yes", Availability: "Yes" }, null],
    ["Is the trial active?", { "Trial status": "Active" }, "Yes: Active"],
    ["Is it disabled?", { Disabled: "No" }, "No"],
    ["Is it inactive?", { Inactive: "Yes" }, "Yes"],
    ["Is it selected?", { Status: "Active" }, null],
    ["Is T-1 paid?", { Status: "Not yet paid" }, "No: Not yet paid"],
    ["Are email notifications enabled?", { "Email notifications": "Off" }, "No: Off"],
    ["Are invoices paid?", { Invoice: "Paid" }, null],
  ])("%s %o", (...given) => check(given));

  const invoices = [
    heading("Invoices"),
    table("", ["Invoice", "Status"], ["Invoice 1", "Paid"], ["Invoice 2", "Paid"]),
  ];
  const refused = (question: string) => () => answer(question, paged(...invoices));

  test.each([
    "Are the invoices paid?",
    "Are Invoices paid?",
    "Are all invoices paid?",
    "Is every invoice paid?",
    "Is each invoice paid?",
    "Is any invoice paid?",
    "Tell me whether the invoices are paid.",
    "Is Invoice 1 not paid?",
    "Is Invoice 1 still paid?",
    "Was two-factor enabled?",
    "Who pays for Invoice 1?",
  ])("is not understood of several, or of what was before: %s", (question) => {
    expect(refused(question)).toThrow("is not understood");
  });

  test("is not answered for several by one of them", () => {
    expect(answer("Are invoices paid?", page(...invoices))).toBeInstanceOf(Stop);
    expect(answer("Is Invoice 1 paid?", page(...invoices))).toEqual(["Yes: Paid"]);
  });
});

test("a part of the page about something else does not answer about the page", () => {
  const customer = { Created: "2020-01-01", Owner: "Kim", Active: "Yes" };
  const seen = page(heading("Order 7"), pairs({ Total: "€5" }), heading("Customer", 2), pairs(customer));
  for (const question of ["When was it created?", "When was order 7 created?", "Who owns it?", "Is it active?"])
    expect(answer(question, seen), question).toBeInstanceOf(Stop);
  const own = page(heading("Order 7"), pairs({ Total: "€5" }), heading("Billing", 2), pairs(customer));
  expect(answer("When was it created?", own)).toEqual(["2020-01-01"]);
  expect(answer("Under Customer, when was it created?", seen)).toEqual(["2020-01-01"]);
});
