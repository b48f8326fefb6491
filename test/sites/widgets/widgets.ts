import { layOutIndex } from "../page.ts";
import { type Site, sendJson, showPage } from "../site.ts";
import { ACCORDION_PAGE } from "./accordion.ts";
import { COMBOBOX_PAGE } from "./combobox.ts";
import { COOKIES_PAGE } from "./cookies.ts";
import { DATE_PICKER_PAGE } from "./date-picker.ts";
import { LISTBOX_PAGE } from "./listbox.ts";
import { MENU_PAGE } from "./menu.ts";
import { MODALS_PAGE } from "./modals.ts";
import { SLIDER_PAGE } from "./slider.ts";
import { SORTABLE_PAGE } from "./sortable.ts";
import { TABS_PAGE } from "./tabs.ts";
import { TOOLTIP_PAGE } from "./tooltip.ts";

const PAGES = {
  tabs: TABS_PAGE,
  accordion: ACCORDION_PAGE,
  menu: MENU_PAGE,
  modals: MODALS_PAGE,
  listbox: LISTBOX_PAGE,
  combobox: COMBOBOX_PAGE,
  "date-picker": DATE_PICKER_PAGE,
  slider: SLIDER_PAGE,
  sortable: SORTABLE_PAGE,
  tooltip: TOOLTIP_PAGE,
  cookies: COOKIES_PAGE,
};

export interface Choice {
  readonly widget: string;
  readonly value: string;
}

/** One page for each common custom widget; the choice is sent to the server. */
export function createWidgetsSite(): Site<{ choices: Choice[] }> {
  const choices: Choice[] = [];
  const links = Object.fromEntries(Object.keys(PAGES).map((name) => [`/${name}`, name]));
  const routes = Object.entries(PAGES).map(([name, page]) => [`GET /${name}`, () => showPage(page)]);
  return {
    state: { choices },
    routes: {
      ...Object.fromEntries(routes),
      "GET /": () => showPage(layOutIndex("Widgets", links)),
      "POST /choices": ({ field }) => {
        choices.push({ widget: field("widget"), value: field("value") });
        return sendJson({ kept: true });
      },
    },
  };
}
