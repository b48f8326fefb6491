import type { Observation } from "../../browser/observation/observation.ts";
import type { ObservedNode } from "../../browser/observation/observed-node.ts";
import { textOf, walk } from "../../browser/observation/tree.ts";
import type { ActionReport } from "../actions/action-report.ts";

const CHALLENGE =
  /verify(ing)? (that )?you are (a )?human|are you a (robot|human)|(i'm|i am) not a robot|checking your browser|unusual traffic|complete the (security check|captcha)|prove (that )?you are (a )?human|press (&|and) hold|human verification|\bcaptcha\b/i;
const CAPTCHA_FRAME = /captcha|turnstile|challenge/i;
const REFUSING_STATUS: ReadonlySet<number> = new Set([403, 429, 503]);
/** A wall says little else; an article about captchas says much. */
const WALL_MAX_CHARACTERS = 1_500;

/** Why a page is a wall against robots, or null. We do not get around one: the run ends and says so. */
export function findBotWall(observation: Observation, reports: readonly ActionReport[]): string | null {
  const text = `${observation.title} ${textOf(observation.root)}`;
  const challenge = CHALLENGE.exec(text)?.[0];
  const status = reports.flatMap(({ events }) => events.requests).findLast(({ isNavigation }) => isNavigation)?.status;
  if (challenge !== undefined && REFUSING_STATUS.has(status ?? 0)) {
    return `The site answered ${status} and asks for proof that a person is there: "${challenge}".`;
  }
  if (text.length > WALL_MAX_CHARACTERS || hasFormOfItsOwn(observation.root)) return null;
  if (challenge !== undefined) return `The site asks for proof that a person is there: "${challenge}".`;
  return hasCaptcha(observation) ? "The site shows a captcha in place of the page." : null;
}

/** Whether a captcha stands anywhere on the page: on its own no wall, but a reason why a form is not accepted. */
export function hasCaptcha({ root }: Observation): boolean {
  return walk(root).some(({ node }) => isCaptchaFrame(node));
}

/** A form with a captcha in it is still a form that one may fill in. */
function hasFormOfItsOwn(root: ObservedNode): boolean {
  return walk(root).some(({ node, ancestors }) => node.role === "textbox" && !ancestors.some(isCaptchaFrame));
}

function isCaptchaFrame({ role, name }: ObservedNode): boolean {
  return role === "iframe" && CAPTCHA_FRAME.test(name);
}
