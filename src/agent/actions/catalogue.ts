import type { Action } from "./action.ts";
import { back } from "./back.ts";
import { check } from "./check.ts";
import { click } from "./click.ts";
import { dialog } from "./dialog.ts";
import { drag } from "./drag.ts";
import { edit } from "./edit.ts";
import { fill } from "./fill.ts";
import { find } from "./find.ts";
import { goto } from "./goto.ts";
import { hover } from "./hover.ts";
import { look } from "./look.ts";
import { press } from "./press.ts";
import { read } from "./read.ts";
import { scroll } from "./scroll.ts";
import { select } from "./select.ts";
import { tab } from "./tab.ts";
import { upload } from "./upload.ts";
import { waitFor } from "./wait-for.ts";

const ALL: readonly Action[] = [
  goto,
  back,
  click,
  fill,
  edit,
  select,
  check,
  press,
  hover,
  drag,
  upload,
  scroll,
  waitFor,
  tab,
  find,
  read,
  look,
  dialog,
];

/** Everything a planner can do in the browser, by name. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(ALL.map((action) => [action.name, action]));
