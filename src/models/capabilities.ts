import type { AttemptProblem, ProviderError } from "./attempt-failure.ts";

/** What a model is taken to accept. All of it at first; each is given up on the provider's own word, and then for good. */
export interface Capabilities {
  /** Answers by calling tools; else it is asked for JSON in its text. */
  callsTools: boolean;
  /** Can be made to call one. */
  isForced: boolean;
  seesImages: boolean;
  streams: boolean;
  hasSystemRole: boolean;
  hasTemperature: boolean;
  hasOutputLimit: boolean;
}

export function assumeAllCapabilities(): Capabilities {
  return {
    callsTools: true,
    isForced: true,
    seesImages: true,
    streams: true,
    hasSystemRole: true,
    hasTemperature: true,
    hasOutputLimit: true,
  };
}

/** In the order in which they are given up: the narrower wording stands before the wider. */
const SIGNS: readonly (readonly [keyof Capabilities, RegExp])[] = [
  ["streams", /\bstream/i],
  ["hasOutputLimit", /max_(completion_|output_)?tokens|max output|in the completion/i],
  ["hasTemperature", /temperature/i],
  ["seesImages", /image|vision|multi-?modal|mmproj|content\W{0,3} (must|should) be a string/i],
  ["isForced", /tool.?choice|tool.?config|function.?calling.?config/i],
  ["callsTools", /\btools?\b|\bfunctions?\b|function.?call/i],
  ["hasSystemRole", /system (role|message|prompt|instruction)|developer (role|message|instruction)/i],
];
const TOO_LONG =
  /too long|too large|context.{0,3}(length|window|size)|too many (input )?tokens|exceeds? .{0,40}tokens/i;
/** Servers of local models answer 500 to what they cannot do. */
const CANNOT = /support|requires?\b|not (enabled|available)/i;

/** Gives up what the provider refuses. Answers whether anything is different now, so that asking again makes sense. */
export function dropRefusedCapability(habits: Capabilities, problem: AttemptProblem, hasImages: boolean): boolean {
  if (problem.kind === "not_streamed") return drop(habits, "streams");
  if (problem.kind !== "refused" || !isAboutTheRequest(problem)) return false;
  const sign = SIGNS.find(
    ([habit, words]) => habits[habit] && (habit !== "seesImages" || hasImages) && words.test(problem.words),
  );
  if (sign === undefined) return false;
  const [habit] = sign;
  if (isTooLong(problem) && habit !== "hasOutputLimit") return false;
  return drop(habits, habit);
}

export function isTooLong({ status, words, code }: ProviderError): boolean {
  return status === 413 || TOO_LONG.test(words) || code === "context_length_exceeded";
}

function isAboutTheRequest({ status, words }: ProviderError): boolean {
  if ([400, 404, 405, 415, 422].includes(status)) return true;
  return (status === 500 || status === 501) && CANNOT.test(words);
}

function drop(habits: Capabilities, habit: keyof Capabilities): boolean {
  const had = habits[habit];
  habits[habit] = false;
  return had;
}
