/**
 * Estimates how many tokens a model will count, without its tokenizer. A word of up to seven letters is one token, a
 * longer word one per five letters; three digits are one, and so are up to three punctuation marks in a row, each letter
 * of another script and each line break. Spaces are free, because tokenizers join them to the next word. On English
 * pages, JSON and source code the estimate is 5 to 20 % above what common tokenizers count.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(/[A-Za-z]+|\d{1,3}|\n|[!-/:-@[-`{-~]{1,3}|[^\sA-Za-z\d]/g)) {
    tokens += piece.length <= 7 ? 1 : Math.ceil(piece.length / 5);
  }
  return tokens;
}
