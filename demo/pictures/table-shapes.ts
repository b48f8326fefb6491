import { html } from "../../src/lib/html.ts";
import type { Tones } from "./tones.ts";

/** Kitchen and desk products. The viewBox is a square of 120; all shapes stand on a floor at y = 98. */
export const TABLE_SHAPES = {
  kettle: ({ base, shade, light }: Tones) => html`
    <path d="M41 62c-6-44 44-44 38 0" fill="none" stroke="${shade}" stroke-width="5"/>
    <path d="M78 78c13-2 11-22 21-26" fill="none" stroke="${base}" stroke-width="8" stroke-linecap="round"/>
    <path d="M33 98l6-36a21 17 0 0 1 42 0l6 36z" fill="${base}"/>
    <path d="M42 58a18 14 0 0 1 36 0z" fill="${shade}"/>
    <circle cx="60" cy="43" r="4" fill="${light}"/>
    <path d="M43 88l4-22" stroke="${light}" stroke-width="4" stroke-linecap="round"/>`,
  mug: ({ base, shade, light }: Tones) => html`
    <path d="M78 58h7a11 11 0 0 1 0 24h-7" fill="none" stroke="${shade}" stroke-width="6"/>
    <path d="M34 48h46v40a10 10 0 0 1-10 10H44a10 10 0 0 1-10-10z" fill="${base}"/>
    <path d="M34 70h46v10H34z" fill="${light}" fill-opacity=".65"/>
    <ellipse cx="57" cy="48" rx="23" ry="5" fill="${shade}"/>
    <path d="M48 36c-5-6 5-8 0-14M64 36c-5-6 5-8 0-14" fill="none" stroke="${light}" stroke-width="3.5" stroke-linecap="round"/>`,
  bowl: ({ base, shade, light }: Tones) => html`
    <path d="M47 92h26v6H47z" fill="${shade}"/>
    <path d="M22 56h76c0 24-16 38-38 38S22 80 22 56z" fill="${base}"/>
    <ellipse cx="60" cy="56" rx="38" ry="9" fill="${shade}"/>
    <ellipse cx="60" cy="57" rx="31" ry="6" fill="${light}" fill-opacity=".5"/>
    <path d="M32 72c4 8 9 12 15 14" fill="none" stroke="${light}" stroke-width="3.5" stroke-linecap="round"/>`,
  pan: ({ base, shade, light }: Tones) => html`
    <rect x="70" y="70" width="42" height="8" rx="4" fill="${shade}"/>
    <circle cx="106" cy="74" r="2" fill="${light}"/>
    <path d="M14 66h64v18a14 14 0 0 1-14 14H28a14 14 0 0 1-14-14z" fill="${base}"/>
    <rect x="11" y="62" width="70" height="7" rx="3.5" fill="${shade}"/>
    <path d="M36 52c-5-6 5-8 0-15M52 52c-5-6 5-8 0-15" fill="none" stroke="${light}" stroke-width="3.5" stroke-linecap="round"/>`,
  board: ({ base, shade, light }: Tones) => html`
    <g transform="rotate(8 60 60)">
      <rect x="34" y="22" width="50" height="76" rx="10" fill="${shade}"/>
      <rect x="31" y="20" width="50" height="76" rx="10" fill="${base}"/>
      <circle cx="56" cy="32" r="5" fill="${shade}"/>
      <path d="M41 46v42M51 46v42M61 46v42M71 46v42" stroke="${light}" stroke-opacity=".6" stroke-width="2.5" stroke-linecap="round"/>
    </g>`,
  jar: ({ base, shade, light }: Tones) => html`
    <path d="M40 40h40v8c6 3 8 7 8 12v28a10 10 0 0 1-10 10H42a10 10 0 0 1-10-10V60c0-5 2-9 8-12z" fill="${light}"/>
    <path d="M32 66h56v22a10 10 0 0 1-10 10H42a10 10 0 0 1-10-10z" fill="${base}"/>
    <rect x="37" y="26" width="46" height="16" rx="5" fill="${shade}"/>
    <rect x="44" y="70" width="32" height="18" rx="3" fill="#fff" fill-opacity=".85"/>
    <path d="M49 77h22M49 82h14" stroke="${shade}" stroke-width="2" stroke-linecap="round"/>`,
  notebook: ({ base, shade, light }: Tones) => html`
    <g transform="rotate(-6 60 60)">
      <rect x="36" y="25" width="56" height="74" rx="5" fill="#fff" fill-opacity=".9"/>
      <rect x="32" y="22" width="56" height="76" rx="5" fill="${base}"/>
      <path d="M37 22h8v76h-8a5 5 0 0 1-5-5V27a5 5 0 0 1 5-5z" fill="${shade}"/>
      <rect x="54" y="36" width="24" height="14" rx="2" fill="${light}"/>
      <path d="M82 22v76" stroke="${shade}" stroke-width="2.5"/>
    </g>`,
  pen: ({ base, shade, light }: Tones) => html`
    <path d="M24 97c14-8 22 3 36-3s18-2 30-3" fill="none" stroke="${shade}" stroke-width="2.5" stroke-linecap="round"/>
    <g transform="rotate(40 60 56)">
      <path d="M53 82h14l-7 22z" fill="${light}"/>
      <rect x="52" y="36" width="16" height="48" fill="${base}"/>
      <path d="M52 36v-12a8 8 0 0 1 16 0v12z" fill="${shade}"/>
      <path d="M66 22v24" stroke="${light}" stroke-width="3" stroke-linecap="round"/>
      <path d="M60 90v14" stroke="${shade}" stroke-width="1.5"/>
    </g>`,
  tray: ({ base, shade, light }: Tones) => html`
    <path d="M36 46l44-8 6 30H36z" fill="#fff" fill-opacity=".9"/>
    <path d="M44 54l30-5M45 61l24-4" stroke="${light}" stroke-width="2.5" stroke-linecap="round"/>
    <path d="M20 64h80v28a6 6 0 0 1-6 6H26a6 6 0 0 1-6-6z" fill="${base}"/>
    <path d="M20 64h80v9H20z" fill="${shade}"/>
    <rect x="46" y="79" width="28" height="9" rx="4.5" fill="${light}"/>`,
  clock: ({ base, shade, light }: Tones) => html`
    <path d="M40 92l-6 6M80 92l6 6" stroke="${shade}" stroke-width="6" stroke-linecap="round"/>
    <circle cx="60" cy="60" r="37" fill="${base}"/>
    <circle cx="60" cy="60" r="29" fill="#fffdf8"/>
    <path d="M60 36v4M60 80v4M36 60h4M80 60h4" stroke="${light}" stroke-width="3" stroke-linecap="round"/>
    <path d="M60 44v16l12 8" fill="none" stroke="${shade}" stroke-width="4" stroke-linecap="round" stroke-linejoin="round"/>
    <circle cx="60" cy="60" r="3.5" fill="${base}"/>`,
  stand: ({ base, shade, light }: Tones) => html`
    <path d="M30 30h60a4 4 0 0 1 4 4v34H26V34a4 4 0 0 1 4-4z" fill="${shade}"/>
    <rect x="31" y="35" width="58" height="29" fill="${light}"/>
    <path d="M18 68h84l4 8H14z" fill="${base}"/>
    <path d="M34 76l-8 22h10l10-22zM86 76l8 22H84L74 76z" fill="${shade}"/>
    <path d="M40 44h22M40 51h34" stroke="#fff" stroke-width="3" stroke-linecap="round"/>`,
};
