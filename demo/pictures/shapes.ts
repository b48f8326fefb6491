import { type Html, html } from "../../src/lib/html.ts";
import { FURNISHING_SHAPES } from "./furnishing-shapes.ts";
import { OUTDOOR_SHAPES } from "./outdoor-shapes.ts";
import { TABLE_SHAPES } from "./table-shapes.ts";
import { type ColourName, TONES } from "./tones.ts";

const SHAPES = { ...TABLE_SHAPES, ...FURNISHING_SHAPES, ...OUTDOOR_SHAPES };

export type ShapeName = keyof typeof SHAPES;

/**
 * A picture drawn for this shop. It is decorative unless it has a label: next to the product's name, a screen reader
 * would say everything twice.
 */
export function picture(shape: ShapeName, colour: ColourName, label?: string): Html {
  const tones = TONES[colour];
  const naming = label === undefined ? html`aria-hidden="true"` : html`role="img" aria-label="${label}"`;
  return html`<svg class="picture" viewBox="0 0 120 120" ${naming}>
    <rect width="120" height="120" fill="${tones.base}" fill-opacity=".14"/>
    <circle cx="60" cy="60" r="46" fill="${tones.light}" fill-opacity=".32"/>
    <ellipse cx="60" cy="99" rx="32" ry="4" fill="#000" fill-opacity=".13"/>
    ${SHAPES[shape](tones)}
  </svg>`;
}
