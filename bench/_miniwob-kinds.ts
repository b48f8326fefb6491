/**
 * Which tasks of MiniWoB++ are of which kind, judged from their pages and their instructions. What is not listed needs
 * eyes, arithmetic, judgement, free drawing or icons without any text, and is counted as "the rest".
 */
export const KINDS: Readonly<Record<string, readonly string[]>> = {
  "click by text": [
    "button-delay",
    "click-button",
    "click-button-sequence",
    "click-dialog",
    "click-dialog-2",
    "click-link",
    "click-menu",
    "click-menu-2",
    "click-pie",
    "click-pie-nodelay",
    "click-test",
    "click-test-2",
    "click-test-transfer",
    "click-widget",
    "focus-text",
    "focus-text-2",
    "unicode-test",
  ],
  "type into field": [
    "copy-paste",
    "copy-paste-2",
    "enter-date",
    "enter-password",
    "enter-text",
    "enter-text-2",
    "enter-text-dynamic",
    "enter-time",
    "find-word",
    "login-user",
    "login-user-popup",
    "read-table",
    "read-table-2",
    "scroll-text",
    "text-transform",
    "use-autocomplete",
    "use-autocomplete-nodelay",
  ],
  "checkbox/radio": [
    "click-checkboxes",
    "click-checkboxes-large",
    "click-checkboxes-soft",
    "click-checkboxes-transfer",
    "click-option",
  ],
  "select/list": [
    "choose-date",
    "choose-date-easy",
    "choose-date-medium",
    "choose-date-nodelay",
    "choose-list",
    "click-scroll-list",
    "use-slider",
    "use-slider-2",
    "use-spinner",
  ],
  "multi-step form": [
    "book-flight",
    "book-flight-nodelay",
    "form-sequence",
    "form-sequence-2",
    "form-sequence-3",
    "sign-agreement",
  ],
  "tabs/collapse": [
    "click-collapsible",
    "click-collapsible-nodelay",
    "click-collapsible-2",
    "click-collapsible-2-nodelay",
    "click-tab",
    "click-tab-2",
    "click-tab-2-easy",
    "click-tab-2-medium",
    "click-tab-2-hard",
    "navigate-tree",
  ],
  search: ["multi-layouts", "multi-orderings", "phone-book", "search-engine"],
};

export const THE_REST = "the rest";

export function kindOf(task: string): string {
  return Object.entries(KINDS).find(([, tasks]) => tasks.includes(task))?.[0] ?? THE_REST;
}
