export interface Category {
  slug: string;
  name: string;
  /** The prefix of its article numbers. */
  prefix: string;
  motto: string;
  care: string;
  guaranteeYears: number;
}

export const CATEGORIES: readonly Category[] = [
  {
    slug: "kitchen",
    name: "Kitchen",
    prefix: "KIT",
    motto: "For slow breakfasts and quick suppers",
    care: "Wash by hand in warm water and dry at once",
    guaranteeYears: 5,
  },
  {
    slug: "desk",
    name: "Desk",
    prefix: "DSK",
    motto: "A clear table, a clear head",
    care: "Wipe with a dry cloth",
    guaranteeYears: 3,
  },
  {
    slug: "lighting",
    name: "Lighting",
    prefix: "LGT",
    motto: "Light where you sit, not everywhere",
    care: "Unplug, then dust with a soft brush",
    guaranteeYears: 4,
  },
  {
    slug: "garden",
    name: "Garden",
    prefix: "GDN",
    motto: "For balconies as much as for meadows",
    care: "Rinse off soil and keep out of the frost",
    guaranteeYears: 3,
  },
  {
    slug: "travel",
    name: "Travel",
    prefix: "TRV",
    motto: "Pack less, carry it well",
    care: "Clean with a damp sponge and air-dry",
    guaranteeYears: 5,
  },
  {
    slug: "textiles",
    name: "Textiles",
    prefix: "TXT",
    motto: "Soft things that last",
    care: "Wash at 30 °C with like colours",
    guaranteeYears: 2,
  },
];

export function findCategory(slug: string): Category | undefined {
  return CATEGORIES.find((category) => category.slug === slug);
}
