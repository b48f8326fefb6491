import { describe, expect, test } from "vitest";
import { findBotWall, findObstacle, findSignedOutReason } from "../../../src/agent/loop/obstacles.ts";
import type { Plan } from "../../../src/agent/planner/planner.ts";
import { field, node, observation, report, request } from "../../_harness/observed.ts";

const HOME = "https://shop.example/account";
const PASSWORD = node("textbox", "Password", { field: field("password", { isSecret: true }) });
const SIGN_IN_FORM = [node("heading", "Sign in"), PASSWORD, node("button", "Sign in")];
const PLAN: Plan = {
  startUrl: null,
  outline: [],
  signsIn: false,
  next: () => Promise.reject(new Error("not asked")),
};

function arrive(requested: string, status = 200) {
  const requests = [request({ method: "GET", isNavigation: true, resourceType: "document", status })];
  return [report("goto", { url: requested }, { events: { requests } })];
}

describe("a site where the user is signed out", () => {
  test("redirects to its sign-in page", () => {
    const seen = observation("https://shop.example/sign-in?return=%2Faccount", SIGN_IN_FORM);
    expect(findSignedOutReason(seen, arrive(HOME))).toMatch(/sign-in page/);
  });

  test("returns 401", () => {
    expect(findSignedOutReason(observation(HOME, []), arrive(HOME, 401))).toMatch(/401/);
  });

  test("shows a sign-in form instead of the page", () => {
    const seen = observation("https://shop.example/welcome", SIGN_IN_FORM);
    expect(findSignedOutReason(seen, arrive(HOME))).toMatch(/sign-in form/);
  });
});

describe("the user does not count as signed out on", () => {
  test("a page with a link to sign in", () => {
    const seen = observation(HOME, [node("link", "Sign in"), node("heading", "Useful things")]);
    expect(findSignedOutReason(seen, arrive(HOME))).toBeNull();
  });

  test("a sign-in page that the task itself opens", () => {
    const url = "https://shop.example/sign-in";
    expect(findSignedOutReason(observation(url, SIGN_IN_FORM), arrive(url))).toBeNull();
  });

  test("a sign-in page after a click on Sign in", () => {
    const seen = observation("https://shop.example/sign-in", SIGN_IN_FORM);
    expect(findSignedOutReason(seen, [report("click", { label: "Sign in" }, { urlBefore: HOME })])).toBeNull();
  });

  test("a form for a new account", () => {
    const fresh = node("textbox", "Password", { field: field("password", { autocomplete: "new-password" }) });
    const seen = observation("https://shop.example/join", [node("heading", "Sign up, or log in"), fresh]);
    expect(findSignedOutReason(seen, arrive("https://shop.example/"))).toBeNull();
  });

  test("a page with a background request that returns 401", () => {
    const requests = [request({ status: 401 })];
    const seen = observation(HOME, [node("heading", "Useful things")]);
    expect(findSignedOutReason(seen, [report("click", { label: "More" }, { events: { requests } })])).toBeNull();
  });
});

test("a sign-in form is not an obstacle when the task says how to sign in", () => {
  const seen = observation("https://shop.example/sign-in", SIGN_IN_FORM);
  expect(findObstacle(seen, arrive(HOME), PLAN)?.failure).toBe("reauthorization_required");
  expect(findObstacle(seen, arrive(HOME), { ...PLAN, signsIn: true })).toBeNull();
});

describe("a bot check", () => {
  test.each([
    "Verify you are human by completing the action below.",
    "Checking your browser before accessing the site.",
    "Our systems have detected unusual traffic from your network.",
    "I'm not a robot",
  ])("is recognized by: %s", (text) => {
    expect(findBotWall(observation(HOME, [node("text", text)]), arrive(HOME, 403))).not.toBeNull();
  });

  test("is not an article about captchas", () => {
    const article = observation(HOME, [node("text", `How a captcha works. ${"Words and more words. ".repeat(200)}`)]);
    expect(findBotWall(article, arrive(HOME))).toBeNull();
  });

  test("is a captcha frame with nothing around it", () => {
    expect(findBotWall(observation(HOME, [node("iframe", "captcha challenge")]), arrive(HOME))).not.toBeNull();
  });
});

describe("the allow-list", () => {
  test("ends a run that was led to another host, whether its page is the refusal or the browser's error", () => {
    const events = { refusedHosts: ["elsewhere.example:443"] };
    const click = [report("click", { label: "Go" }, { events })];
    expect(findObstacle(observation("chrome-error://chromewebdata/", []), click, PLAN)?.failure).toBe(
      "policy_violation",
    );
    expect(findObstacle(observation("https://elsewhere.example/x", []), click, PLAN)?.failure).toBe("policy_violation");
  });

  test("does not end a run for an image or an advertisement that was refused", () => {
    const events = { refusedHosts: ["tracker.example:443"] };
    expect(findObstacle(observation(HOME, []), [report("click", {}, { events })], PLAN)).toBeNull();
  });
});

test("a form that was blocked in read-only mode ends the run", () => {
  const requests = [request({ isNavigation: true, status: null, blockedBy: "read_only" })];
  const trouble = findObstacle(observation(HOME, []), [report("click", {}, { events: { requests } })], PLAN);
  expect(trouble).toMatchObject({ failure: "policy_violation", code: "READ_ONLY" });
});
