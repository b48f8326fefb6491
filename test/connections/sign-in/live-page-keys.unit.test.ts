import { describe, expect, it } from "vitest";
import { toSiteKey } from "../../../src/http/pages/live/site-key.js";

const SHIFT = 8;
const CONTROL = 2;

type Press = Partial<KeyboardEvent> & { altGraph?: boolean };

function press({ altGraph = false, ...fields }: Press): KeyboardEvent {
  const event = {
    key: "",
    code: "",
    keyCode: 0,
    isComposing: false,
    shiftKey: false,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    getModifierState: (name: string) => name === "AltGraph" && altGraph,
    ...fields,
  };
  return event as KeyboardEvent;
}

type Case = [what: string, Press, expected: { key: string; modifiers: number } | null];

describe("a key on the live page", () => {
  it.each<Case>([
    ["a letter", { key: "a" }, { key: "a", modifiers: 0 }],
    ["a capital", { key: "A", shiftKey: true }, { key: "A", modifiers: SHIFT }],
    ["a letter of another script", { key: "я" }, { key: "я", modifiers: 0 }],
    ["a letter outside the basic plane", { key: "𐐀" }, { key: "𐐀", modifiers: 0 }],
    ["Enter", { key: "Enter" }, { key: "Enter", modifiers: 0 }],
    ["Shift+Tab", { key: "Tab", shiftKey: true }, { key: "Tab", modifiers: SHIFT }],
    ["Ctrl+ArrowLeft", { key: "ArrowLeft", ctrlKey: true }, { key: "ArrowLeft", modifiers: CONTROL }],
    ["Ctrl+A", { key: "a", ctrlKey: true }, { key: "a", modifiers: CONTROL }],
    ["Ctrl+Shift+Z", { key: "Z", ctrlKey: true, shiftKey: true }, { key: "Z", modifiers: CONTROL | SHIFT }],
    ["AltGr as Windows reports it", { key: "€", ctrlKey: true, altKey: true }, { key: "€", modifiers: 0 }],
    ["AltGr as Linux reports it", { key: "@", altGraph: true }, { key: "@", modifiers: 0 }],
    ["pasting, which is sent as text", { key: "v", ctrlKey: true }, null],
    ["a browser shortcut", { key: "t", ctrlKey: true }, null],
    ["the browser's inspector", { key: "C", ctrlKey: true, shiftKey: true }, null],
    ["a browser key", { key: "F5" }, null],
    ["a browser menu", { key: "f", altKey: true }, null],
    ["a window system shortcut", { key: "e", metaKey: true }, null],
    ["a modifier alone", { key: "Shift", shiftKey: true }, null],
    ["a dead key", { key: "Dead" }, null],
    ["a key that an input method has handled", { key: "Process" }, null],
    ["the same, by its key code", { key: "a", keyCode: 229 }, null],
    ["a key during a composition", { key: "Enter", isComposing: true }, null],
    ["a key of an on-screen keyboard", { key: "Unidentified" }, null],
  ])("%s", (_what, event, expected) => {
    expect(toSiteKey(press(event), false)).toEqual(expected === null ? null : { code: "", ...expected });
  });

  it.each<Case>([
    ["Option types a character", { key: "@", altKey: true }, { key: "@", modifiers: 0 }],
    ["Command+A selects all", { key: "a", metaKey: true }, { key: "a", modifiers: CONTROL }],
    ["Command+V pastes, which is sent as text", { key: "v", metaKey: true }, null],
    ["Control+A is not a command there", { key: "a", ctrlKey: true }, null],
    ["Option+ArrowLeft moves by words", { key: "ArrowLeft", altKey: true }, { key: "ArrowLeft", modifiers: CONTROL }],
    ["Command+ArrowLeft moves to the start", { key: "ArrowLeft", metaKey: true }, { key: "Home", modifiers: 0 }],
    [
      "and selects on the way with Shift",
      { key: "ArrowRight", metaKey: true, shiftKey: true },
      { key: "End", modifiers: SHIFT },
    ],
  ])("on a Mac: %s", (_what, event, expected) => {
    const siteKey = toSiteKey(press(event), true);
    expect(siteKey && { key: siteKey.key, modifiers: siteKey.modifiers }).toEqual(expected);
  });
});
