import { Anchor } from "@mantine/core";
import { ForeignText } from "./foreign-text.tsx";

/** An address out of a run. Only what leads to a web page is a link; whoever follows it does not say where they were. */
export function ForeignAddress({ children }: { children: string }) {
  if (!isWebAddress(children)) return <ForeignText>{children}</ForeignText>;
  return (
    <Anchor href={children} target="_blank" rel="noopener noreferrer" inherit>
      <ForeignText>{children}</ForeignText>
    </Anchor>
  );
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === "http:" || protocol === "https:";
}
