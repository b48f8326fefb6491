import { describe, expect, test } from "vitest";
import { endWith, toErrorMessage } from "../../../src/agent/loop/ending.ts";
import { explainGivingUp, findBotWall } from "../../../src/agent/loop/obstacles.ts";
import type { Plan } from "../../../src/agent/planner/planner.ts";
import { node, observation, report, request } from "../../_harness/observed.ts";

const HOME = "https://shop.example/";
const LONG = `It begins here. ${"And it goes on and on. ".repeat(300)}`;
const PLAN: Plan = { startUrl: null, outline: [], signsIn: false, next: () => Promise.reject(new Error("not asked")) };

describe("a reason", () => {
  test("has at most 600 characters, its beginning, and how much is left out", () => {
    const { reason } = endWith("unverified", LONG);
    expect(reason.length).toBeLessThanOrEqual(600);
    expect(reason).toMatch(/^It begins here\./);
    const [kept = "", leftOut] = reason.split(/ … \((\d+) more characters\)$/);
    expect(kept.length + Number(leftOut)).toBe(LONG.length);
  });

  test("stays as it is when it is short", () => {
    expect(endWith("unverified", "Too bad.").reason).toBe("Too bad.");
  });

  test("is shortened for a planner that gives up, too", () => {
    const given = { failure: "goal_unreachable", code: "GOAL_UNREACHABLE", reason: LONG } as const;
    expect(explainGivingUp(given, observation(HOME, []), [], PLAN, [], null).reason.length).toBeLessThanOrEqual(600);
  });

  test("leaves room for the advice in the error message", () => {
    const message = toErrorMessage(endWith("policy_violation", LONG), false);
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).toMatch(/ERRAND_ALLOW_HOSTS\.$/);
  });

  test("says where the changes are listed, if there are any, within the limit", () => {
    const [changed, unchanged] = [true, false].map((has) => toErrorMessage(endWith("site_error", LONG), has));
    expect([changed?.includes("/evidence"), unchanged?.includes("/evidence")]).toEqual([true, false]);
    expect(changed?.length).toBeLessThanOrEqual(600);
  });
});

test.each(["unverified", "unsupported_prompt", "site_error"] as const)(
  "the message of %s does not say that nothing was changed when something was sent",
  (failure) => {
    expect(toErrorMessage(endWith(failure, "Too bad."), true)).not.toMatch(/nothing was/i);
  },
);

describe("a request without a response", () => {
  const given = { failure: "goal_unreachable", code: "GOAL_UNREACHABLE", reason: "No page came." } as const;
  const silent = { method: "GET", url: `${HOME}orders?token=abc`, waitedMs: 14_200 };

  test("explains why a planner gives up, without the values of its query", () => {
    const { failure, reason } = explainGivingUp(given, observation(HOME, []), [report("click")], PLAN, [], silent);
    expect(failure).toBe("site_error");
    expect(reason).toMatch(/^The site did not respond to GET https:\/\/shop\.example\/orders\S* within 14 seconds\./);
    expect(reason).not.toContain("abc");
  });

  test("explains nothing once the response has come", () => {
    const requests = [request({ method: "GET", url: silent.url, status: 200 })];
    expect(explainGivingUp(given, observation(HOME, []), [], PLAN, requests, silent).failure).toBe("goal_unreachable");
  });
});

describe("the word captcha", () => {
  const arrive = (status: number) => [
    report("goto", {}, { events: { requests: [request({ method: "GET", isNavigation: true, status })] } }),
  ];

  test.each([
    ["in a link", node("link", "Captcha settings", { url: `${HOME}captcha` })],
    ["in a link of a heading", node("heading", "", { children: [node("link", "How a captcha works")] })],
    ["in a sentence", node("paragraph", "", { children: [node("text", "New accounts have to pass a captcha.")] })],
  ])("is no bot wall %s", (_, part) => {
    expect(findBotWall(observation(HOME, [node("heading", "Settings"), part]), arrive(200))).toBeNull();
  });

  test("is one as the heading of a short page, or with a status that refuses", () => {
    expect(findBotWall(observation(HOME, [node("heading", "Captcha required")]), arrive(200))).toMatch(/human/);
    expect(findBotWall(observation(HOME, [node("text", "A captcha is required.")]), arrive(403))).toMatch(/403/);
    expect(findBotWall(observation(HOME, [node("text", "Please solve the captcha.")]), arrive(200))).toMatch(/human/);
  });
});
