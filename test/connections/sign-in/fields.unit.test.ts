import { describe, expect, it } from "vitest";
import { findFields, type InputFacts } from "../../../src/browser/live/sign-in-fields.ts";
import { isSubmitLabel } from "../../../src/connections/sign-in/sign-in-words.ts";

const input = (facts: Partial<InputFacts>): InputFacts => ({
  type: "text",
  autocomplete: "",
  label: "",
  maxLength: null,
  form: 0,
  formText: "",
  ...facts,
});
const text = (label: string, more: Partial<InputFacts> = {}) => input({ label, ...more });
const password = (more: Partial<InputFacts> = {}) => input({ type: "password", label: "Password", ...more });
const NONE = { userName: null, password: null, code: [] };

describe("the fields of a sign-in form", () => {
  it("are user name and password, whatever the label says", () => {
    expect(findFields([text("Kundennummer"), password()], true)).toMatchObject({ userName: 0, password: 1 });
    expect(findFields([text("Club"), text("Something"), password()], true)).toMatchObject({ userName: 1, password: 2 });
    expect(
      findFields([input({ type: "search", label: "Search", form: 1 }), text("User"), password()], true),
    ).toMatchObject({
      userName: 1,
      password: 2,
    });
  });

  it("are a password alone on the second page", () => {
    expect(findFields([password()], true)).toEqual({ userName: null, password: 0, code: [] });
  });

  it("are a user name alone only on the page of a sign-in", () => {
    const lone = [input({ type: "email", label: "Email" })];
    expect(findFields(lone, true)).toMatchObject({ userName: 0 });
    expect(findFields(lone, false)).toEqual(NONE);
    expect(findFields([text("Email", { formText: "newsletter Subscribe" })], true)).toEqual(NONE);
  });

  it.each([
    ["a field that says so", [input({ autocomplete: "one-time-code" })], [0]],
    ["a label", [text("Verification code")], [0]],
    ["a short field", [text("Code", { maxLength: 6 })], [0]],
    ["a field for each digit", Array.from({ length: 6 }, () => text("", { maxLength: 1 })), [0, 1, 2, 3, 4, 5]],
    ["no voucher code", [text("Voucher code", { maxLength: 8 })], []],
    ["no postal code", [text("Postal code", { maxLength: 6 })], []],
  ])("are a one-time code: %s", (_what, inputs, code) => {
    expect(findFields(inputs, false)).toEqual({ ...NONE, code });
  });

  it("are not those of a registration or of a new password", () => {
    expect(findFields([text("Email"), password(), password({ label: "Repeat" })], true)).toEqual(NONE);
    expect(findFields([text("Email"), password({ autocomplete: "new-password" })], true)).toEqual(NONE);
    const both = [
      text("Email", { form: 0 }),
      text("Name", { form: 0 }),
      password({ form: 0 }),
      text("Email", { form: 1 }),
      password({ form: 1 }),
    ];
    expect(findFields(both, true)).toMatchObject({ userName: 3, password: 4 });
  });
});

describe("the button of a sign-in form", () => {
  it.each(["Sign in", "Log in", "Weiter", "Continuer", "Siguiente", "Next", "次へ", "Verify code"])(
    "is %s",
    (label) => {
      expect(isSubmitLabel(label)).toBe(true);
    },
  );

  it.each(["Sign in with Example", "Mit Example anmelden", "Help", "Cancel", "Forgot password?"])(
    "is not %s",
    (label) => {
      expect(isSubmitLabel(label)).toBe(false);
    },
  );
});
