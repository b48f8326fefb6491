/**
 * A text without today's date, however that is written: whoever says it needs no fact for it. Its numbers do, wherever they
 * stand for something else.
 */
export function dropToday(text: string, now: Date): string {
  const year = now.getUTCFullYear();
  const month = `0?${now.getUTCMonth() + 1}`;
  const day = `0?${now.getUTCDate()}`;
  const name = now.toLocaleString("en", { month: "long", timeZone: "UTC" });
  const monthWord = `${name.slice(0, 3)}(?:${name.slice(3)})?\\.?`;
  const dayWord = `${day}(?:st|nd|rd|th)?`;
  const forms = [
    `${year}-${month}-${day}`,
    `${dayWord}(?: of)? ${monthWord}`,
    `${monthWord} ${dayWord}`,
    `${day}[./]${month}[./]${year}`,
    `${month}/${day}/${year}`,
  ];
  return text.replace(new RegExp(`(?<![\\w.,])(?:${forms.join("|")})(?!\\w)`, "gi"), " ");
}
