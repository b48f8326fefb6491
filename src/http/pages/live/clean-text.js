// @ts-check

const MAX_LENGTH = 200;

/**
 * Text of the site, on one line and without anything that reorders or hides what stands beside it.
 * @param {string} text
 */
export function cleanText(text) {
  const clean = text
    .replace(/[\p{Cc}\p{Z}]+/gu, " ")
    .replace(/(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim();
  const characters = [...clean];
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join("")}…` : clean;
}
