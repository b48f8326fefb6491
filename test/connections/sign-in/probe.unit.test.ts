import { describe, expect, it } from "vitest";
import type { SiteView } from "../../../src/connections/sign-in/live-browser.ts";
import { findSignedOutReason, isSignInUrl, learnProbe, looksSignedIn } from "../../../src/connections/sign-in/probe.ts";
import { isSignInLabel, isSignOutLabel } from "../../../src/connections/sign-in/sign-in-words.ts";

const SIGN_IN = "https://shop.example/sign-in";

function view(more: Partial<SiteView> = {}): SiteView {
  return {
    url: "https://shop.example/account",
    title: "Account",
    status: 200,
    hasPasswordField: false,
    hasCodeField: false,
    controls: ["Home", "Orders", "Sign out"],
    text: "Welcome back",
    ...more,
  };
}

const OWN = view();
const STRANGERS = view({ url: SIGN_IN, title: "Sign in", hasPasswordField: true, controls: ["Home", "Sign in"] });
const PROBE = { url: OWN.url, mustSee: "Sign out", mustNotSee: "Sign in" };

describe("the sign-in check learned from a sign-in", () => {
  it("has the page, what only the user sees and what only signed-out visitors see", () => {
    expect(learnProbe(OWN, STRANGERS, SIGN_IN)).toEqual({ probe: PROBE });
  });

  it("is sufficient when signed-out visitors are rejected, whatever the language", () => {
    const own = view({ controls: ["Bogha"] });
    for (const strangers of [
      view({ status: 401, controls: ["Bogha"] }),
      view({ hasPasswordField: true, controls: ["Bogha"] }),
      view({ url: `${SIGN_IN}?return=%2Faccount`, controls: ["Bogha"] }),
      view({ url: "https://id.example/auth/start", controls: ["Bogha"] }),
    ]) {
      expect(learnProbe(own, strangers, SIGN_IN)).toEqual({
        probe: { url: own.url, mustSee: null, mustNotSee: null },
      });
    }
  });

  it("is null when a signed-out visitor sees the same", () => {
    const page = view({ controls: ["Home", "Search"] });
    expect(learnProbe(page, page, SIGN_IN)).toEqual({ problem: expect.stringMatching(/looks the same/) });
    const front = view({ url: "https://shop.example/", controls: ["Search"] });
    expect(learnProbe(front, front, "https://shop.example/")).toHaveProperty("problem");
    const words = view({ controls: ["Sign in", "Sign out"] });
    expect(learnProbe(words, words, SIGN_IN)).toHaveProperty("problem");
  });

  it("is null when a bot check or a banner makes the difference, and not a sign-in", () => {
    const passed = view({ controls: ["Home"] });
    expect(learnProbe(passed, view({ status: 403, controls: ["Home"] }), SIGN_IN)).toHaveProperty("problem");
    const dismissed = view({ controls: ["Sign in"] });
    const banner = view({ controls: ["Sign in", "Log in for 10% off"] });
    expect(learnProbe(dismissed, banner, SIGN_IN)).toEqual({ problem: expect.stringMatching(/offers "Sign in"/) });
    expect(learnProbe(view({ controls: ["Log in"] }), view({ controls: ["Sign in"] }), SIGN_IN)).toHaveProperty(
      "problem",
    );
  });

  it("is null while the site still asks for something", () => {
    expect(learnProbe(view({ hasPasswordField: true }), STRANGERS, SIGN_IN)).toHaveProperty("problem");
    expect(learnProbe(view({ status: 401 }), STRANGERS, SIGN_IN)).toHaveProperty("problem");
    expect(learnProbe(view({ status: 500 }), STRANGERS, SIGN_IN)).toHaveProperty("problem");
  });

  it("is null between two steps of a sign-in, even if signed-out visitors see something else", () => {
    const step = view({ url: `${SIGN_IN}/code`, controls: ["Confirm"] });
    expect(learnProbe(step, STRANGERS, SIGN_IN)).toEqual({ problem: expect.stringMatching(/part of the sign-in/) });
    const elsewhere = view({ url: "https://shop.example/two-factor", controls: ["Confirm"], hasCodeField: true });
    expect(learnProbe(elsewhere, STRANGERS, SIGN_IN)).toEqual({
      problem: expect.stringMatching(/is asking for a code/),
    });
  });
});

describe("a user counts as signed out", () => {
  it.each<[string, Partial<SiteView>]>([
    ["when the site returns 401", { status: 401 }],
    ["when it redirects to its sign-in page", { url: SIGN_IN, controls: [] }],
    ["when it redirects to another step of the sign-in", { url: `${SIGN_IN}/code`, controls: ["Verify"] }],
    ["when it asks for a password instead of showing the page", { hasPasswordField: true }],
    ["when the signed-in text is gone and the signed-out text is there", { controls: ["Home", "Sign in"] }],
  ])("%s", (_what, more) => {
    expect(findSignedOutReason(view(more), PROBE, SIGN_IN)).toEqual(expect.any(String));
  });

  it.each<[string, Partial<SiteView>]>([
    ["everything is unchanged", {}],
    ["a button has another name", { controls: ["Home", "Leave"] }],
    ["both texts are there", { controls: ["Sign out", "Sign in with another account"] }],
    ["the page returns 500", { status: 500, controls: [], text: "Something went wrong" }],
    ["the page moved", { url: "https://shop.example/my-account", controls: ["Sign out"] }],
  ])("but not when %s", (_what, more) => {
    expect(findSignedOutReason(view(more), PROBE, SIGN_IN)).toBeNull();
  });

  it("only by the owner's rule when there is one", () => {
    const mustSee = { url: OWN.url, mustSee: "Welcome  back", mustNotSee: null };
    expect(findSignedOutReason(view({ text: "welcome\nback, you" }), mustSee, SIGN_IN)).toBeNull();
    expect(findSignedOutReason(view({ text: "Hello stranger" }), mustSee, SIGN_IN)).toMatch(/Welcome/);
    const mustNotSee = { url: OWN.url, mustSee: null, mustNotSee: "Guest" };
    expect(findSignedOutReason(view({ text: "Guest" }), mustNotSee, SIGN_IN)).toMatch(/Guest/);
    expect(findSignedOutReason(view(), mustNotSee, SIGN_IN)).toBeNull();
  });
});

describe("the finish button is highlighted", () => {
  const rule = { signInUrl: SIGN_IN, signedInUrl: null, signedInText: null, signedOutText: null };
  const isOfSite = (url: string) => url.startsWith("https://shop.example/");

  it.each<[string, Partial<SiteView>, Partial<typeof rule> | Record<string, string>, boolean]>([
    ["once the sign-in is complete", {}, {}, true],
    ["not on the sign-in page", { url: SIGN_IN, controls: ["Sign in"] }, {}, false],
    ["not while a one-time code is required", { url: `${SIGN_IN}/code`, controls: ["Verify"] }, {}, false],
    ["not while a password is required", { hasPasswordField: true }, {}, false],
    ["not at an identity provider", { url: "https://id.example/consent" }, {}, false],
    ["on a site that stays at its sign-in URL", { url: SIGN_IN, controls: ["Log out"] }, {}, true],
    ["not before the owner's text is there", {}, { signedInText: "Dashboard" }, false],
    ["once the owner's text is there", { text: "Your dashboard" }, { signedInText: "Dashboard" }, true],
    ["not while the owner's other text is there", { text: "Hello guest" }, { signedOutText: "guest" }, false],
  ])("%s", (_what, more, own, expected) => {
    expect(looksSignedIn(view(more), { ...rule, ...own }, isOfSite)).toBe(expected);
  });
});

describe("sign-in and sign-out labels", () => {
  it.each([
    "Sign in",
    "Log In",
    "Login",
    "Anmelden",
    "Se connecter",
    "Iniciar sesión",
    "Zaloguj się",
    "ログイン",
    "Войти",
    "Sign in to your account",
  ])("%s means sign in", (control) => {
    expect(isSignInLabel(control)).toBe(true);
    expect(isSignOutLabel(control)).toBe(false);
  });

  it.each([
    "Sign out",
    "Log out",
    "Logout",
    "Abmelden",
    "Déconnexion",
    "Cerrar sesión",
    "Wyloguj",
    "ログアウト",
    "Выйти",
  ])("%s means sign out", (control) => {
    expect(isSignOutLabel(control)).toBe(true);
    expect(isSignInLabel(control)).toBe(false);
  });

  it.each([
    "Blogging",
    "Design in oak",
    "Login history of every member of this very long and talkative sentence here",
    "Salire",
    "Centrality",
  ])("%s means neither", (control) => {
    expect([isSignInLabel(control), isSignOutLabel(control)]).toEqual([false, false]);
  });
});

describe("a URL is part of the sign-in", () => {
  it.each<[string, string, boolean]>([
    [SIGN_IN, SIGN_IN, true],
    [`${SIGN_IN}/?next=1`, SIGN_IN, true],
    [`${SIGN_IN}-help`, SIGN_IN, false],
    ["https://other.example/sign-in", SIGN_IN, false],
    ["https://shop.example/account", "https://shop.example/", false],
    ["https://shop.example/?a=1", "https://shop.example/", true],
    ["about:blank", SIGN_IN, false],
  ])("%s of %s: %s", (url, signIn, expected) => {
    expect(isSignInUrl(url, signIn)).toBe(expected);
  });
});
