import { REFUSED, STATE, TWICE } from "./changed-behaviour.ts";
import { MOVED, RENAMED } from "./changed-looks.ts";
import { IN_FRONT } from "./interruptions.ts";
import type { ShopChange } from "./shop-change.ts";

export const SHOP_CHANGES: readonly ShopChange[] = [...RENAMED, ...MOVED, ...IN_FRONT, ...STATE, ...REFUSED, ...TWICE];
