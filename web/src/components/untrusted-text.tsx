import { Anchor } from "@mantine/core";

/** Text that a site or a stranger wrote: shown as text, and kept from what stands beside it. */
export function UntrustedText({ children }: { children: string }) {
  return <bdi className="wrap-anywhere">{cleanText(children)}</bdi>;
}

const REORDERING = /(?!\n|\t)[\p{Cc}\p{Bidi_Control}]/gu;
// All but the joiners and the emoji selector, which scripts and emoji need.
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;
// Piled-up marks grow out of their line; no language needs more than four.
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Nothing in it reorders, hides or smears over what stands beside it. Where something would have, a sign shows it. */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll("\r\n", "\n")
    .replace(REORDERING, "\ufffd")
    .replace(UNSEEN, "")
    .replace(PILED_MARKS, "$1");
}

/** An address out of a run. Only what leads to a web page is a link; whoever follows it does not say where they were. */
export function UntrustedUrl({ children }: { children: string }) {
  if (!isWebAddress(children)) return <UntrustedText>{children}</UntrustedText>;
  return (
    <Anchor href={children} target="_blank" rel="noopener noreferrer" inherit>
      <UntrustedText>{children}</UntrustedText>
    </Anchor>
  );
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === "http:" || protocol === "https:";
}
