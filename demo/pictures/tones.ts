export interface Tones {
  base: string;
  shade: string;
  light: string;
}

export const TONES = {
  pine: { base: "#3d7a68", shade: "#2a5a4c", light: "#8cbcae" },
  clay: { base: "#c46a45", shade: "#9a4d2e", light: "#eab79f" },
  ochre: { base: "#d3a03c", shade: "#a67a22", light: "#f2d698" },
  slate: { base: "#6b7a8c", shade: "#4b5868", light: "#b7c1cd" },
  plum: { base: "#7d5278", shade: "#5b3857", light: "#c3a4bf" },
  sand: { base: "#cdb592", shade: "#a38a65", light: "#f0e3cd" },
  sky: { base: "#5f9cc0", shade: "#427795", light: "#b9d8e8" },
  moss: { base: "#83954a", shade: "#5f6e30", light: "#c9d49f" },
  rose: { base: "#cf7f83", shade: "#a4595e", light: "#efc4c5" },
  ink: { base: "#4a4a55", shade: "#30303a", light: "#9b9baa" },
} satisfies Record<string, Tones>;

export type ColourName = keyof typeof TONES;
