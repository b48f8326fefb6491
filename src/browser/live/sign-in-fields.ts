import { CODE_LABEL } from "../observation/site-view.ts";

export type SignInField = "userName" | "password" | "code";

/** A visible, usable input of a page. */
export interface InputFacts {
  readonly type: string;
  readonly autocomplete: string;
  /** Its label and whatever else names it. */
  readonly label: string;
  /** Null without a limit. */
  readonly maxLength: number | null;
  /** The number of its form, of those on the page; null outside of forms. */
  readonly form: number | null;
  /** What its form calls itself, and its buttons; empty outside of forms. */
  readonly formText: string;
}

/** Positions in the list of inputs. */
export interface FoundFields {
  readonly userName: number | null;
  readonly password: number | null;
  /** More than one when each digit has its own. */
  readonly code: readonly number[];
}

export const NO_FIELDS: FoundFields = { userName: null, password: null, code: [] };

const TEXT_TYPES: ReadonlySet<string> = new Set(["text", "email", "tel", "number", "url"]);
const USER_NAME =
  /user|log-?in|sign-?in|account|member|customer|e-?mail|phone|mobile|\bid\b|benutzer|nutzer|anmelde|kennung|kunden|identifiant|utilisateur|courriel|adh[ée]rent|usuario|correo|cuenta|utente|utilizador|conta\b|gebruiker|klant|anv[äa]ndar|bruker|bruger|k[äa]ytt[äa]j|u[żz]ytkownik|u[žz]ivatel|felhaszn[áa]l|utilizator|kullan[ıi]c|пользовател|логин|почт|користувач|χρήστη|ユーザー|メール|会員|用户|用戶|账号|帳號|邮箱|아이디|이메일|tài khoản|pengguna|ผู้ใช้|المستخدم|البريد|משתמש|उपयोगकर्ता/iu;
const NOT_FOR_SIGNING_IN =
  /search|suche|recherch|buscar|cerca\b|zoek|newsletter|subscri|abonn|coupon|voucher|promo|captcha/iu;
const OTHER_CODE =
  /zip|post(al)?[ -]?code|postleitzahl|plz\b|coupon|voucher|promo|gift|country|area|invit|captcha|discount/iu;
/** With a label such as "Code" alone, a field is one for one-time codes if it is as long as one. */
const SHORT_CODE =
  /\bcode\b|\bpin\b|\botp\b|\bmfa\b|\b2fa\b|\btoken\b|코드|コード|验证码|驗證碼|код\b|kod\b|k[óo]d\b|κωδικό/iu;
const CODE_LENGTHS: readonly number[] = [6, 7, 8];

/**
 * Which inputs a sign-in needs. Finds nothing on pages where people choose a password, such as a registration. A user name
 * alone counts only on the page of a sign-in: elsewhere it is a newsletter's.
 */
export function findFields(inputs: readonly InputFacts[], isSignInPage: boolean): FoundFields {
  const code = findCode(inputs);
  const password = findPassword(inputs, code);
  if (password !== null) return { userName: findUserNameBeside(inputs, password, code), password, code };
  return { userName: isSignInPage && code.length === 0 ? findLoneUserName(inputs) : null, password, code };
}

function isCode({ autocomplete, label, maxLength, type }: InputFacts): boolean {
  if (autocomplete.includes("one-time-code")) return true;
  if (OTHER_CODE.test(label) || !(TEXT_TYPES.has(type) || type === "password")) return false;
  return CODE_LABEL.test(label) || (SHORT_CODE.test(label) && CODE_LENGTHS.includes(maxLength ?? 0));
}

/** One input for the whole code, or one for each digit. */
function findCode(inputs: readonly InputFacts[]): number[] {
  const found = [...inputs.keys()].filter((index) => isCode(at(inputs, index)));
  const [first] = found;
  const isDigit = (index: number) => at(inputs, index).maxLength === 1 && TEXT_TYPES.has(at(inputs, index).type);
  const digits = [...inputs.keys()].filter(
    (index) => isDigit(index) && at(inputs, index).form === at(inputs, first ?? index).form,
  );
  if (CODE_LENGTHS.includes(digits.length)) return digits;
  return first === undefined ? [] : [first];
}

function findPassword(inputs: readonly InputFacts[], code: readonly number[]): number | null {
  const found = [...inputs.keys()].filter((index) => at(inputs, index).type === "password" && !code.includes(index));
  const isCurrent = (index: number) => at(inputs, index).autocomplete.includes("current-password");
  const isNew = (index: number) => at(inputs, index).autocomplete.includes("new-password");
  const inFormOf = (index: number) => found.filter((other) => at(inputs, other).form === at(inputs, index).form);
  const marked = found.find(isCurrent);
  if (marked !== undefined) return inFormOf(marked).some(isNew) ? null : marked;
  // Two passwords in one form are a new one and its repetition.
  const usable = found.filter((index) => !isNew(index) && inFormOf(index).length === 1);
  const sizeOf = (index: number) => inputs.filter(({ form }) => form === at(inputs, index).form).length;
  // Where a page also offers a registration, that is the longer form.
  return usable.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0] ?? null;
}

/** In the same form as the password: the one that says so, or else the last one before it. */
function findUserNameBeside(inputs: readonly InputFacts[], password: number, code: readonly number[]): number | null {
  const { form } = at(inputs, password);
  const found = [...inputs.keys()].filter(
    (index) => at(inputs, index).form === form && mayBeUserName(at(inputs, index)) && !code.includes(index),
  );
  const best = found.toSorted((a, b) => score(at(inputs, b)) - score(at(inputs, a)))[0];
  if (best !== undefined && score(at(inputs, best)) > 0) return best;
  return found.findLast((index) => index < password) ?? null;
}

const ENOUGH = 3;

/** On the first page of a sign-in with two pages. */
function findLoneUserName(inputs: readonly InputFacts[]): number | null {
  const found = [...inputs.keys()]
    .filter((index) => mayBeUserName(at(inputs, index)) && score(at(inputs, index)) >= ENOUGH)
    // The form of a registration asks for more, and for a new password.
    .filter((index) => !inputs.some(({ form, type }) => type === "password" && form === at(inputs, index).form));
  return found.toSorted((a, b) => score(at(inputs, b)) - score(at(inputs, a)))[0] ?? null;
}

function mayBeUserName({ type, label, formText, maxLength }: InputFacts): boolean {
  return TEXT_TYPES.has(type) && maxLength !== 1 && !NOT_FOR_SIGNING_IN.test(`${label} ${formText}`);
}

function score({ autocomplete, type, label, formText }: InputFacts): number {
  return (
    (autocomplete.includes("username") ? 8 : 0) +
    (autocomplete.includes("email") || type === "email" ? 3 : 0) +
    (USER_NAME.test(label) ? 3 : 0) +
    (/log-?in|sign-?in|signin|auth|session/i.test(formText) ? 1 : 0)
  );
}

function at(inputs: readonly InputFacts[], index: number): InputFacts {
  const input = inputs[index];
  if (input === undefined) throw new RangeError("There is no such input");
  return input;
}
