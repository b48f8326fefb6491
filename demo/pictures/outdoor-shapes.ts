import { html } from "../../src/lib/html.ts";
import type { Tones } from "./tones.ts";

const LEAF = "#6f9b52";
const DARK_LEAF = "#547a3c";

/** Garden and travel products. */
export const OUTDOOR_SHAPES = {
  pot: ({ base, shade, light }: Tones) => html`
    <path d="M60 60V34" stroke="${DARK_LEAF}" stroke-width="3"/>
    <path d="M60 46c-22 2-26-12-26-20 16 0 26 6 26 20z" fill="${LEAF}"/>
    <path d="M60 40c0-16 10-24 26-24 0 12-6 24-26 24z" fill="${DARK_LEAF}"/>
    <path d="M60 58c2-12 12-16 22-14-2 10-10 16-22 14z" fill="${LEAF}"/>
    <path d="M38 66h44l-7 32H45z" fill="${base}"/>
    <rect x="33" y="57" width="54" height="12" rx="4" fill="${shade}"/>
    <path d="M47 76l3 14" stroke="${light}" stroke-width="4" stroke-linecap="round"/>`,
  can: ({ base, shade, light }: Tones) => html`
    <path d="M36 56c-22-4-22 34 2 32" fill="none" stroke="${shade}" stroke-width="6"/>
    <path d="M74 84l24-34" stroke="${base}" stroke-width="8"/>
    <path d="M88 42l18 12-6 6-16-12z" fill="${shade}"/>
    <path d="M36 52h42l4 40a6 6 0 0 1-6 6H38a6 6 0 0 1-6-6z" fill="${base}"/>
    <path d="M40 52c2-22 32-22 34 0" fill="none" stroke="${shade}" stroke-width="5"/>
    <path d="M35 66h44" stroke="${light}" stroke-width="4"/>
    <circle cx="108" cy="62" r="2" fill="#5f9cc0"/><circle cx="112" cy="72" r="2" fill="#5f9cc0"/>`,
  trowel: ({ base, shade, light }: Tones) => html`
    <path d="M22 98c6-12 26-14 38-6s28-4 38 6z" fill="#7a5a41"/>
    <g transform="rotate(14 60 56)">
      <path d="M44 54h32v18c0 12-8 20-16 28-8-8-16-16-16-28z" fill="${light}"/>
      <path d="M60 54v46c8-8 16-16 16-28V54z" fill="${base}" fill-opacity=".55"/>
      <path d="M57 40h6v16h-6z" fill="${shade}"/>
      <rect x="53" y="12" width="14" height="32" rx="7" fill="#b3814f"/>
      <path d="M53 34h14" stroke="${shade}" stroke-width="3"/>
    </g>`,
  birdhouse: ({ base, shade, light }: Tones) => html`
    <path d="M36 50h48v48H36z" fill="${base}"/>
    <path d="M60 50h24v48H60z" fill="${shade}" fill-opacity=".25"/>
    <path d="M24 58l36-36 36 36-6 6-30-30-30 30z" fill="${shade}"/>
    <circle cx="60" cy="66" r="9" fill="#2c2622"/>
    <rect x="57" y="80" width="6" height="9" rx="3" fill="${shade}"/>
    <path d="M44 58v34M76 58v34" stroke="${light}" stroke-opacity=".5" stroke-width="2"/>`,
  bag: ({ base, shade, light }: Tones) => html`
    <path d="M48 32c0-16 24-16 24 0" fill="none" stroke="${shade}" stroke-width="5"/>
    <path d="M32 52c-8 6-8 28-4 38" fill="none" stroke="${shade}" stroke-width="6"/>
    <path d="M88 52c8 6 8 28 4 38" fill="none" stroke="${shade}" stroke-width="6"/>
    <path d="M32 56a26 26 0 0 1 56 0v32a10 10 0 0 1-10 10H42a10 10 0 0 1-10-10z" fill="${base}"/>
    <path d="M32 56c18 8 38 8 56 0" fill="none" stroke="${shade}" stroke-width="3"/>
    <rect x="42" y="70" width="36" height="22" rx="6" fill="${shade}"/>
    <path d="M46 77h28" stroke="${light}" stroke-width="3" stroke-linecap="round"/>`,
  bottle: ({ base, shade, light }: Tones) => html`
    <rect x="50" y="16" width="20" height="14" rx="4" fill="${shade}"/>
    <path d="M52 30h16v6c7 3 10 8 10 14v40a8 8 0 0 1-8 8H50a8 8 0 0 1-8-8V50c0-6 3-11 10-14z" fill="${base}"/>
    <path d="M42 62h36v18H42z" fill="${light}"/>
    <path d="M50 52v-4" stroke="${light}" stroke-width="4" stroke-linecap="round"/>
    <path d="M60 66c5 6 4 10 0 10s-5-4 0-10z" fill="${base}"/>`,
  umbrella: ({ base, shade, light }: Tones) => html`
    <path d="M60 18v70a8 8 0 0 1-16 0" fill="none" stroke="${shade}" stroke-width="5" stroke-linecap="round"/>
    <path d="M18 62c0-26 18-40 42-40s42 14 42 40c-6-7-15-7-21 0-6-7-15-7-21 0-6-7-15-7-21 0-6-7-15-7-21 0z" fill="${base}"/>
    <path d="M39 62c2-20 10-34 21-40 11 6 19 20 21 40-6-7-15-7-21 0-6-7-15-7-21 0z" fill="${light}" fill-opacity=".6"/>`,
  suitcase: ({ base, shade, light }: Tones) => html`
    <path d="M46 42V20h28v22" fill="none" stroke="${shade}" stroke-width="5"/>
    <rect x="30" y="40" width="60" height="54" rx="9" fill="${base}"/>
    <path d="M44 40v54M76 40v54" stroke="${shade}" stroke-width="5"/>
    <path d="M52 52v30M60 52v30M68 52v30" stroke="${light}" stroke-opacity=".7" stroke-width="3" stroke-linecap="round"/>
    <circle cx="42" cy="96" r="4" fill="#2c2622"/><circle cx="78" cy="96" r="4" fill="#2c2622"/>`,
};
