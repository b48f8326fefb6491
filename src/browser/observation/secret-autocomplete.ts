/** What a field's `autocomplete` says when its value is nobody else's business. A pattern as text, because it travels into pages. */
export const SECRET_AUTOCOMPLETE = "password|one-time-code|cc-csc|cc-number";
