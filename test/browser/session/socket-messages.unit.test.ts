import { describe, expect, it } from "vitest";
import { isReadMessage } from "../../../src/browser/session/read-request.ts";
import { isStoredSignIn, isStoredSignInRequest } from "../../../src/browser/session/shared-sign-in.ts";
import { readSocketMessage, withoutIdentifiers } from "../../../src/browser/session/socket-messages.ts";

describe("the name of a message", () => {
  it.each([
    ['42["auth:perform",{"token":1}]', "auth:perform"],
    ['42/status,7["get-layout"]', "get-layout"],
    ['40{"token":"x"}', "connect"],
    ['{"type":"subscribe_events","id":3}', "subscribe_events"],
    ['{"msg":"method","method":"login","params":[],"id":"1"}', "login"],
    [String.raw`["{\"msg\":\"sub\",\"id\":\"a\"}"]`, "sub"],
    ['[32,713845233,{},"orders"]', null],
    ["CONNECT", null],
  ])("%s", (message, name) => {
    expect(readSocketMessage(message).name).toBe(name);
  });
});

describe("a message of another visit", () => {
  it.each([
    ["another counter", '423["get",{"a":"b"}]', '424["get",{"a":"b"}]'],
    ["another identifier", '{"type":"sub","id":"c0a8012e-77b1-4c66"}', '{"type":"sub","id":"d91b0c3f-12aa-4d01"}'],
    ["another record", '42["open",3]', '42["open",4]'],
  ])("is the same with %s", (_, one, other) => {
    expect(withoutIdentifiers(one)).toBe(withoutIdentifiers(other));
  });

  it.each([
    ["another word", '42["say","plums"]', '42["say","pears"]'],
    ["another operation", '[32,713845233,{},"orders"]', '[16,239714735,{},"orders"]'],
    ["another number of an operation", '{"op":1,"d":2}', '{"op":4,"d":2}'],
    ["another namespace", '42/a,1["get"]', '42/b,1["get"]'],
    ["a text without JSON", "press 3", "press 4"],
  ])("is not the same with %s", (_, one, other) => {
    expect(withoutIdentifiers(one)).not.toBe(withoutIdentifiers(other));
  });
});

describe("messages that are named as reads", () => {
  const subscribe = (query: string) => JSON.stringify({ id: "1", type: "subscribe", payload: { query } });

  it.each(['42["setting:get"]', '{"type":"subscribe_events"}', subscribe("subscription { orders { id } }")])(
    "%s",
    (message) => {
      expect(isReadMessage(readSocketMessage(message))).toBe(true);
    },
  );

  it.each(['42["input",{"text":"get"}]', '{"type":"call_service"}', "get", subscribe("mutation { pay }")])(
    "not %s",
    (message) => {
      expect(isReadMessage(readSocketMessage(message))).toBe(false);
    },
  );
});

describe("a sign-in with a stored token", () => {
  const token = "f3a9c07be15d4628a0";
  const state = {
    storage: {
      cookies: [],
      origins: [{ origin: "https://chat.example", localStorage: [{ name: "token", value: token }] }],
    },
    sessionStorage: [],
  };
  const isSignIn = (message: string) => isStoredSignIn(readSocketMessage(message), state);

  it.each([
    `42["auth:perform",{"user":"hanna","token":"${token}","lastMessage":-1,"openChannel":null,"hasConfig":false}]`,
    `40{"token":"${token}"}`,
    `{"msg":"method","method":"login","params":[{"resume":"${token}"}],"id":"1"}`,
    `{"type":"connection_init","payload":{"authorization":"Bearer ${token}"}}`,
    `{"action":"authentication_challenge","data":{"token":"${token}"}}`,
  ])("%s", (message) => {
    expect(isSignIn(message)).toBe(true);
  });

  it.each([
    ["another token", '{"type":"auth","token":"0123456789abcdef01"}'],
    ["no token", '{"type":"auth","user":"hanna"}'],
    ["a change", `{"type":"order","token":"${token}"}`],
    ["more than a sign-in", `{"type":"auth:revoke","token":"${token}"}`],
    ["a sign-out", `{"type":"sign-out","token":"${token}"}`],
    ["a text", `{"type":"auth","token":"${token}","note":"two of them"}`],
    ["many values", JSON.stringify({ type: "auth", token, pending: Array(12).fill("plums") })],
    ["no name", `{"token":"${token}"}`],
  ])("not with %s", (_, message) => {
    expect(isSignIn(message)).toBe(false);
  });

  it("a request is named by its operation, or else by the end of its path", () => {
    const isRequest = (path: string, body: object) =>
      isStoredSignInRequest(
        { url: `https://chat.example${path}`, body: JSON.stringify(body), contentType: "application/json" },
        state,
      );
    expect(isRequest("/api/auth/session", { token })).toBe(true);
    expect(isRequest("/chat/login", { token })).toBe(true);
    expect(isRequest("/send", { type: "auth", token })).toBe(true);
    expect(isRequest("/auth/devices", { token })).toBe(false);
    expect(isRequest("/login", { type: "order", token })).toBe(false);
    expect(isRequest("/orders", { token })).toBe(false);
  });
});
