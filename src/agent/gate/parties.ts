/** Whose address, name or number something is. Null where nothing says so: mostly the one who gets what is ordered. */
export type Party = "receiver" | "payer" | "sender" | null;

const PARTIES: readonly (readonly [Exclude<Party, null>, RegExp])[] = [
  [
    "payer",
    /\b(?:billing|bill to|invoice (?:to|address|details)|payer|card ?holder|rechnungs\w*|facturation|facturación)/i,
  ],
  [
    "sender",
    /\b(?:sender|return(?:s|ing)? (?:to|address)|pick-?up|collect(?:ion)?|absender\w*|expéditeur|remitente)\b/i,
  ],
  [
    "receiver",
    /\b(?:deliver\w*|ship\w*|recipient|receiver|liefer\w*|versand\w*|livraison|envío|spedizione|consegna)\b/i,
  ],
];

/** By the texts around something, the nearest first. A text that names several of them says nothing. */
export function findParty(texts: readonly string[]): Party {
  for (const text of texts) {
    const named = PARTIES.filter(([, pattern]) => pattern.test(text));
    if (named.length === 1) return named[0]?.[0] ?? null;
  }
  return null;
}

export function isSameParty(one: Party, other: Party): boolean {
  return (one ?? "receiver") === (other ?? "receiver");
}
