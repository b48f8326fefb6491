// @ts-check

/**
 * The element with this id. It is part of the page that the server sent.
 * @template {Element} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`The page has no element ${id}`);
  return found;
}

const MAX_LENGTH = 200;

/**
 * Text of the site on one line, without characters that reorder or hide the text beside it.
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
