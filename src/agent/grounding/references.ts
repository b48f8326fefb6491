const LABELLED =
  /\b(?:order|booking|reservation|confirmation|reference|ticket|invoice|receipt|case|transaction)\b[^\w\n]{0,3}(?:(?:no|number|id|code|ref)\b\.?)?(?: is\b)?[\s:#]{0,4}(?=[\w-]{0,30}\d)([A-Z\d][A-Z\d-]{2,30})/gi;
/** Without a word for what it is: "#4711", "T-10076". */
const CODE = /(?:#\s?\d{3,}|\b[A-Z]{1,6}-?(?=[A-Z\d-]{0,20}\d{2})[A-Z\d-]{3,20}\b)/;

/** The numbers that a site gives to what it has taken: "Order 4711", "Your booking number is T-10076". */
export function findReferences(text: string): string[] {
  return [...text.matchAll(LABELLED)].map(([, reference = ""]) => reference);
}

/** Whether there is one, labelled or not. */
export function hasReference(text: string): boolean {
  return CODE.test(text) || findReferences(text).length > 0;
}
