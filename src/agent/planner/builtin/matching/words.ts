/** Lower case, without accents, punctuation and doubled spaces: what two labels are compared in. */
export function simplify(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/&/g, " and ")
    .replace(/[’']/g, "")
    .replace(/\be-mail/g, "email")
    .replace(/\bgrey\b/g, "gray")
    .replace(/colour/g, "color")
    .replace(/[^\p{L}\p{N}$€£%#@+]+/gu, " ")
    .trim();
}

export function toWords(text: string): string[] {
  const simple = simplify(text);
  return simple === "" ? [] : simple.split(" ");
}

/** Words that mean the same on any site. The first of each row stands for all. */
const SAME_MEANING: readonly (readonly string[])[] = [
  ["sign in", "log in", "login", "signin", "log on"],
  ["sign out", "log out", "logout", "signout", "log off"],
  ["sign up", "register", "create account", "create an account", "join"],
  ["cart", "basket", "shopping cart", "shopping basket", "bag", "shopping bag", "trolley"],
  ["ok", "okay"],
  ["user name", "username", "user", "login name", "user id"],
  ["phone number", "phone", "telephone", "telephone number", "mobile", "mobile number"],
  ["post code", "postcode", "postal code", "zip", "zip code"],
  ["email", "email address", "mail"],
  ["last name", "surname", "family name"],
  ["first name", "given name", "forename"],
  ["quantity", "qty", "amount"],
  ["voucher", "voucher code", "coupon", "coupon code", "promo code", "discount code"],
  ["checkout", "check out", "go to checkout", "proceed to checkout"],
  ["favourites", "favorites", "wish list", "wishlist"],
  ["delete", "remove", "trash", "bin"],
  ["submit", "send"],
  ["settings", "preferences"],
  ["home", "home page", "homepage", "start page"],
];

const MEANING = new Map(SAME_MEANING.flatMap((row) => row.map((words) => [words, row[0] ?? words] as const)));

/** How people write the sign that closes something. */
const CLOSE_SIGNS: ReadonlySet<string> = new Set(["x", "×", "✕", "✖", "✗", "⨯", "close"]);

/** How well a label fits what was said, from 0 to 1. */
export function similarity(label: string, said: string): number {
  const [one, other] = [label.trim(), said.trim()];
  if (one === "" || other === "") return 0;
  if (one === other) return 1;
  if (one.toLowerCase() === other.toLowerCase()) return 0.98;
  if (CLOSE_SIGNS.has(one.toLowerCase()) && CLOSE_SIGNS.has(other.toLowerCase())) return 0.95;
  const [plainLabel, plainSaid] = [simplify(one), simplify(other)];
  if (plainLabel === "" || plainSaid === "") return 0;
  if (plainLabel === plainSaid) return 0.96;
  if (plainLabel.replaceAll(" ", "") === plainSaid.replaceAll(" ", "")) return 0.93;
  if ((MEANING.get(plainLabel) ?? plainLabel) === (MEANING.get(plainSaid) ?? plainSaid)) return 0.9;
  return Math.max(byWords(plainLabel.split(" "), plainSaid.split(" ")), byLetters(plainLabel, plainSaid));
}

const SMALL_WORDS: ReadonlySet<string> = new Set([
  "the",
  "a",
  "an",
  "of",
  "to",
  "in",
  "on",
  "my",
  "your",
  "for",
  "and",
  "or",
  "is",
  "it",
]);

function byWords(label: readonly string[], said: readonly string[]): number {
  const wanted = said.map(stem).filter((word) => !SMALL_WORDS.has(word));
  const present = label.map(stem).filter((word) => !SMALL_WORDS.has(word));
  if (wanted.length === 0 || present.length === 0) return 0;
  const hits = wanted.filter((word) => present.includes(word)).length;
  const isAll = hits === wanted.length;
  if (hasOtherDeed(present, wanted)) return isAll ? 0.5 : 0;
  if (isAll && present.length === wanted.length) return 0.88;
  if (isAll) {
    const share = wanted.length / present.length;
    const starts = wanted.every((word, at) => present[at] === word);
    return (starts ? 0.68 : isRun(present, wanted) ? 0.6 : 0.52) + 0.25 * share;
  }
  // The other way round: the label is a part of what was said, as "Kettle" of "the kettle that I want".
  const covered = present.every((word) => wanted.includes(word));
  if (covered) return 0.4 + 0.35 * (present.length / wanted.length);
  return 0.45 * (hits / Math.max(wanted.length, present.length));
}

/** Words that change what a control does: "account" never means "Delete account", "Add to cart" never "Your cart". */
const DEEDS: ReadonlySet<string> = new Set(
  "add remove delete cancel buy pay unsubscribe deactivate close reject decline block reset clear edit share report hide".split(
    " ",
  ),
);

function hasOtherDeed(label: readonly string[], said: readonly string[]): boolean {
  return (
    label.some((word) => DEEDS.has(word) && !said.includes(word)) ||
    said.some((word) => DEEDS.has(word) && !label.includes(word))
  );
}

/** "directed" and "director", "orders" and "order" are near enough; short words stay as they are. */
export function stem(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  const single = word
    .replace(/(?:sses)$/, "ss")
    .replace(/ies$/, "y")
    .replace(/([^s])s$/, "$1");
  return single.length > 5 ? single.replace(/(?:ing|ed)$/, "") : single;
}

function isRun(words: readonly string[], run: readonly string[]): boolean {
  return words.some((_word, at) => run.every((wanted, offset) => words[at + offset] === wanted));
}

/** One slip in five letters: a typing error, and not another word. */
function byLetters(label: string, said: string): number {
  const longest = Math.max(label.length, said.length);
  if (longest < 5 || Math.abs(label.length - said.length) > 2 || /\d/.test(label + said)) return 0;
  const distance = editDistance(label, said);
  return distance <= Math.max(1, Math.floor(longest / 6)) ? 0.72 : 0;
}

/** Letters added, left out, changed or swapped with their neighbour. */
function editDistance(one: string, other: string): number {
  let [before, row]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = at(row, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next.push(Math.min(at(row, j) + 1, at(next, j - 1) + 1, change, isSwap ? at(before, j - 2) + 1 : change));
    }
    [before, row] = [row, next];
  }
  return at(row, other.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

/** Whether the words of one stand in the other as they are, one after the other. */
export function containsPhrase(text: string, phrase: string): boolean {
  const wanted = simplify(phrase);
  return wanted !== "" && ` ${simplify(text)} `.includes(` ${wanted} `);
}
