import { Anchor } from "@mantine/core";

/** Text from a site or another person: shown as plain text, isolated from the text around it. */
export function UntrustedText({ children }: { children: string }) {
  return <bdi className="wrap-anywhere">{cleanText(children)}</bdi>;
}

const REORDERING = /(?!\n|\t)[\p{Cc}\p{Bidi_Control}]/gu;
// All but the joiners and the emoji selector, which some scripts and emoji need.
const INVISIBLE = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
// Stacked combining marks overflow their line. No language needs more than four.
const STACKED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Removes what could reorder, hide or overlap surrounding text. Reordering characters become U+FFFD. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(REORDERING, "\ufffd")
    .replace(INVISIBLE, "")
    .replace(STACKED_MARKS, "$1");
}

/** A URL from an execution. Only http and https become links, opened without a referrer. */
export function UntrustedUrl({ children }: { children: string }) {
  if (!isWebUrl(children)) return <UntrustedText>{children}</UntrustedText>;
  return (
    <Anchor href={children} target="_blank" rel="noopener noreferrer" inherit>
      <UntrustedText>{children}</UntrustedText>
    </Anchor>
  );
}

function isWebUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === "http:" || protocol === "https:";
}
