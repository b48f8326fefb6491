import { type AttemptProblem, isPromptTooLong, type ProviderError } from "./provider-failure.ts";

/** What a model is assumed to support: everything at first. What the provider rejects is dropped for good. */
export interface Capabilities {
  /** Else the tools are described in the prompt, and the response is JSON in text. */
  callsTools: boolean;
  /** Accepts `toolChoice: required`. */
  acceptsForcedTools: boolean;
  seesImages: boolean;
  streams: boolean;
  hasSystemRole: boolean;
  hasTemperature: boolean;
  hasOutputLimit: boolean;
}

export function assumeAllCapabilities(): Capabilities {
  return {
    callsTools: true,
    acceptsForcedTools: true,
    seesImages: true,
    streams: true,
    hasSystemRole: true,
    hasTemperature: true,
    hasOutputLimit: true,
  };
}

/** How providers word that they do not support something. The first match is dropped, so specific wording comes first. */
const REJECTIONS: readonly (readonly [keyof Capabilities, RegExp])[] = [
  ["streams", /\bstream/i],
  ["hasOutputLimit", /max_(completion_|output_)?tokens|max output|in the completion/i],
  ["hasTemperature", /temperature/i],
  ["seesImages", /image|vision|multi-?modal|mmproj|content\W{0,3} (must|should) be a string/i],
  ["acceptsForcedTools", /tool.?choice|tool.?config|function.?calling.?config/i],
  ["callsTools", /\btools?\b|\bfunctions?\b|function.?call/i],
  ["hasSystemRole", /system (role|message|prompt|instruction)|developer (role|message|instruction)/i],
];
/** Servers of local models respond with 500 to what they do not support. */
const NOT_SUPPORTED = /support|requires?\b|not (enabled|available)/i;

/** Drops what the provider rejects. Returns whether anything changed, so that another request makes sense. */
export function dropRefusedCapability(
  capabilities: Capabilities,
  problem: AttemptProblem,
  hasImages: boolean,
): boolean {
  if (problem.kind === "not_streamed") return drop(capabilities, "streams");
  if (problem.kind !== "refused" || !isAboutTheRequest(problem)) return false;
  const rejection = REJECTIONS.find(
    ([name, pattern]) => capabilities[name] && (name !== "seesImages" || hasImages) && pattern.test(problem.message),
  );
  if (rejection === undefined) return false;
  const [name] = rejection;
  if (isPromptTooLong(problem) && name !== "hasOutputLimit") return false;
  return drop(capabilities, name);
}

function isAboutTheRequest({ status, message }: ProviderError): boolean {
  if ([400, 404, 405, 415, 422].includes(status)) return true;
  return (status === 500 || status === 501) && NOT_SUPPORTED.test(message);
}

function drop(capabilities: Capabilities, name: keyof Capabilities): boolean {
  const had = capabilities[name];
  capabilities[name] = false;
  return had;
}
