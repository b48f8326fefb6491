import { describe, expect, test } from "vitest";
import { TaskSecrets } from "../../../src/agent/task-secrets.ts";

describe("a secret in a prompt", () => {
  test.each([
    "Sign in at shop.example.com, pw: canary7, and list my orders.",
    "User jo, pwd canary7",
    "passwd=canary7",
    "Call it with token canary7secret.",
    "My token is canary7",
    "API key: sk-canary7-x",
    "Use the api-key canary7.",
    "Password canary7, user jo.",
    "Log in as jo with canary7 and list my orders.",
    "Sign in with jo / canary7",
    "My account is jo@example.com and canary7. List my orders.",
    "Log in: jo@example.com:canary7",
    "Log in with jo@example.com | canary-7.",
    "Open https://jo:canary7@shop.example.com/orders and list my orders.",
    "Create an account for jo@example.com / canary7!",
    "Set the password to canary7, then sign out.",
  ])("is hidden in %j", (prompt) => {
    const secrets = new TaskSecrets(prompt);
    expect(secrets.prompt).not.toContain("canary");
    expect(secrets.prompt).toContain("[secret-1]");
    expect(secrets.reveal(secrets.prompt)).toBe(prompt);
  });

  test.each([
    "Send a message to bob@example.com: Hello Bob, see you at 5pm.",
    "Invite jo@example.com / Editor",
    "Log in and invite jo@example.com / Editor.",
    "Sign in as jo@example.com and order 3 kettles.",
    "Log in and write to jo@example.com, bob2@example.com and amy@example.com.",
    "Find the book The Secret to Happiness.",
    "Pin to the board what is new.",
    "Is the token expired?",
    "The API key is missing: say so.",
    "Log in to https://shop.example.com/orders and list my orders.",
    "Tell me whether the pw field is empty.",
  ])("is not found in %j", (prompt) => {
    expect(new TaskSecrets(prompt).prompt).toBe(prompt);
  });

  test("is hidden alone, without the rest of its URL", () => {
    const { prompt } = new TaskSecrets("Log in at https://jo:hunter2@shop.example.com/orders and list my orders.");
    expect(prompt).toBe("Log in at https://jo:[secret-1]@shop.example.com/orders and list my orders.");
  });

  test.each([
    "a@a.",
    "log in a@a ",
    "pin ‘",
    "pw: ",
    "my pin ",
    "://a:",
    "log in as a ",
    "token ",
    "password is ",
    ".",
  ])("is found after a long run of %j", (piece) => {
    const secrets = new TaskSecrets(`${piece.repeat(20_000 / piece.length)}\nThe password is "canary7".`);
    expect(secrets.hide("canary7")).toMatch(/^\[secret-\d+\]$/);
  });

  test.each([true, false])("may be entered on its own hosts only, masked or not: %s", (isMasked) => {
    const secrets = new TaskSecrets('Sign in with the password "hunter22".', "https://shop.example.com/");
    expect(secrets.mayEnter("hunter22", "https://shop.example.com/login", isMasked)).toBe(true);
    expect(secrets.mayEnter("hunter22", "https://partner.example.net/login", isMasked)).toBe(false);
    expect(secrets.mayEnter("My password is hunter22", "https://partner.example.net/", isMasked)).toBe(false);
  });
});
