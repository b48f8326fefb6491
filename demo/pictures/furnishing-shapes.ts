import { html } from "../../src/lib/html.ts";
import type { Tones } from "./tones.ts";

const GLOW = "#ffdf8e";

/** Lamps and textiles. */
export const FURNISHING_SHAPES = {
  lamp: ({ base, shade, light }: Tones) => html`
    <path d="M30 62L18 98h84L90 62z" fill="${GLOW}" fill-opacity=".4"/>
    <path d="M57 60h6v34h-6z" fill="${shade}"/>
    <rect x="40" y="92" width="40" height="6" rx="3" fill="${shade}"/>
    <path d="M44 24h32l16 38H28z" fill="${base}"/>
    <path d="M48 30l-10 26" stroke="${light}" stroke-width="4" stroke-linecap="round"/>`,
  pendant: ({ base, shade, light }: Tones) => html`
    <path d="M30 72L16 98h88L90 72z" fill="${GLOW}" fill-opacity=".4"/>
    <path d="M60 0v34" stroke="${shade}" stroke-width="3"/>
    <rect x="53" y="28" width="14" height="12" rx="3" fill="${shade}"/>
    <circle cx="60" cy="74" r="9" fill="${GLOW}"/>
    <path d="M24 74c0-24 15-38 36-38s36 14 36 38z" fill="${base}"/>
    <path d="M35 66c3-11 9-17 17-20" fill="none" stroke="${light}" stroke-width="4" stroke-linecap="round"/>`,
  lantern: ({ base, shade, light }: Tones) => html`
    <circle cx="60" cy="68" r="38" fill="${GLOW}" fill-opacity=".28"/>
    <path d="M46 34c0-20 28-20 28 0" fill="none" stroke="${shade}" stroke-width="4"/>
    <path d="M44 44l6-12h20l6 12z" fill="${base}"/>
    <rect x="42" y="44" width="36" height="44" fill="${light}" fill-opacity=".75"/>
    <path d="M60 54c10 12 8 24 0 24s-10-12 0-24z" fill="${GLOW}"/>
    <path d="M45 44v44M75 44v44" stroke="${base}" stroke-width="5"/>
    <rect x="38" y="87" width="44" height="11" rx="4" fill="${shade}"/>`,
  bulb: ({ base, shade, light }: Tones) => html`
    <circle cx="60" cy="52" r="40" fill="${GLOW}" fill-opacity=".3"/>
    <path d="M60 24a28 28 0 0 1 17 50c-4 3-5 6-5 9H48c0-3-1-6-5-9a28 28 0 0 1 17-50z" fill="${GLOW}"/>
    <path d="M51 80l-4-22 6 6 7-8 7 8 6-6-4 22" fill="none" stroke="${base}" stroke-width="2.5" stroke-linejoin="round"/>
    <rect x="48" y="82" width="24" height="11" rx="2" fill="${shade}"/>
    <path d="M48 87h24" stroke="${light}" stroke-width="2"/>
    <path d="M53 93h14l-4 6h-6z" fill="${base}"/>`,
  blanket: ({ base, shade, light }: Tones) => html`
    <rect x="22" y="78" width="76" height="20" rx="9" fill="${shade}"/>
    <rect x="24" y="60" width="72" height="20" rx="9" fill="${base}"/>
    <rect x="26" y="42" width="68" height="20" rx="9" fill="${light}"/>
    <path d="M40 42v20M50 42v20" stroke="${base}" stroke-width="4"/>
    <path d="M40 60v20M50 60v20" stroke="${light}" stroke-width="4"/>
    <path d="M40 78v20M50 78v20" stroke="${base}" stroke-width="4"/>`,
  cushion: ({ base, shade, light }: Tones) => html`
    <path d="M24 38c24 6 48 6 72 0-6 20-6 40 0 60-24-6-48-6-72 0 6-20 6-40 0-60z" fill="${base}"/>
    <path d="M36 46c16 3 32 3 48 0-3 15-3 29 0 44-16-3-32-3-48 0 3-15 3-29 0-44z" fill="none" stroke="${light}" stroke-width="2.5" stroke-dasharray="5 5"/>
    <circle cx="60" cy="68" r="5" fill="${shade}"/>`,
  towel: ({ base, shade, light }: Tones) => html`
    <rect x="16" y="24" width="88" height="6" rx="3" fill="${shade}"/>
    <path d="M34 22h44v70H34z" fill="${base}"/>
    <path d="M60 22h28v56H60z" fill="${light}"/>
    <path d="M60 66h28M60 71h28" stroke="${base}" stroke-width="2.5"/>
    <path d="M34 78h26M34 84h26" stroke="${light}" stroke-width="3"/>
    <path d="M34 92v6M40 92v6M46 92v6M52 92v6M58 92v6M64 92v6M70 92v6M76 92v6" stroke="${base}" stroke-width="2.5"/>`,
  rug: ({ base, shade, light }: Tones) => html`
    <path d="M30 44h60l16 50H14z" fill="${base}"/>
    <path d="M36 52h48l11 34H25z" fill="none" stroke="${light}" stroke-width="3"/>
    <path d="M60 56l12 13-12 13-12-13z" fill="${light}"/>
    <path d="M60 63l6 6-6 6-6-6z" fill="${shade}"/>
    <path d="M18 94l-2 6M30 94l-1 6M42 94l-1 6M54 94v6M66 94v6M78 94l1 6M90 94l1 6M102 94l2 6" stroke="${shade}" stroke-width="2.5"/>
    <path d="M33 44l1-5M45 44v-5M57 44v-5M69 44v-5M81 44v-5" stroke="${shade}" stroke-width="2"/>`,
};
