/** Their values let whoever has them in. */
const SECRET_NAME =
  /^(?:.{0,40}[_-])?(?:token|session(?:[_-]?id)?|[a-z]{0,5}sessid|jsessionid|sid|jwt|sig(?:nature)?|secret|password|passwd|pwd|otp)$/i;
/** Of these some are plain words: the key to sort by, the code of a country. */
const DOUBTFUL_NAME = /^(?:.{0,40}[_-])?(?:api)?(?:key|code|auth)$/i;
const PARAMETER = /([?&;#])([^=&;#?]{1,64})=([^&;#?]+)/g;
const MIN_SECRET_CHARS = 6;

/** An address as a model may read it: with "…" for values that look like keys, and without a name and a password. */
export function maskAddress(address: string): string {
  return address
    .replace(/^([a-z][a-z\d+.-]{0,20}:\/\/)[^/?#\s]*@/i, "$1")
    .replace(PARAMETER, (whole, sign: string, name: string, value: string) =>
      isKey(name, value) ? `${sign}${name}=…` : whole,
    );
}

function isKey(name: string, value: string): boolean {
  if (value.length < MIN_SECRET_CHARS) return false;
  return SECRET_NAME.test(name) || (DOUBTFUL_NAME.test(name) && /\d/.test(value)) || looksRandom(value);
}

function looksRandom(value: string): boolean {
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
  return isUuid || [...value.matchAll(/[a-z\d]{20,}/gi)].some(([run]) => /\d/.test(run) && /[a-z]/i.test(run));
}
