/** What a number counts. Numbers of one dimension can be turned into each other. */
export interface Unit {
  readonly dimension: "money" | "ratio" | "count" | "mass" | "length" | "time" | "data" | "volume";
  /** How many of the dimension's base it is. */
  readonly factor: number;
}

const UNITS = new Map<string, Unit>(
  [
    ["money 0.01", "cents cent pence ¢ p"],
    ["ratio 0.01", "% percent pct percentage"],
    ["ratio 1", "fraction ratio"],
    ["count 1e3", "thousand thousands"],
    ["count 1e6", "million millions mio mn"],
    ["count 1e9", "billion billions bn"],
    ["mass 1e-6", "mg milligram milligrams"],
    ["mass 1e-3", "g gram grams"],
    ["mass 1", "kg kilo kilos kilogram kilograms"],
    ["mass 1e3", "tonne tonnes"],
    ["mass 0.45359237", "lb lbs"],
    ["mass 0.028349523125", "oz ounce ounces"],
    ["length 1e-3", "mm millimeter millimeters millimetre millimetres"],
    ["length 1e-2", "cm centimeter centimeters centimetre centimetres"],
    ["length 1", "m meter meters metre metres"],
    ["length 1e3", "km kilometer kilometers kilometre kilometres"],
    ["length 0.0254", "inch inches"],
    ["length 0.3048", "ft foot feet"],
    ["length 1609.344", "mi mile miles"],
    ["time 1e-3", "ms millisecond milliseconds"],
    ["time 1", "s sec secs second seconds"],
    ["time 60", "min mins minute minutes"],
    ["time 3600", "h hr hrs hour hours"],
    ["time 86400", "day days"],
    ["time 604800", "week weeks"],
    ["data 1e3", "kb kilobyte kilobytes"],
    ["data 1e6", "mb megabyte megabytes"],
    ["data 1e9", "gb gigabyte gigabytes"],
    ["data 1e12", "tb terabyte terabytes"],
    ["volume 1e-3", "ml milliliter milliliters millilitre millilitres"],
    ["volume 1e-2", "cl"],
    ["volume 1", "l liter liters litre litres"],
  ].flatMap(([about = "", words = ""]) => {
    const [dimension = "", factor = ""] = about.split(" ");
    const unit = { dimension: dimension as Unit["dimension"], factor: Number(factor) };
    return words.split(" ").map((word) => [word, unit] as const);
  }),
);

export function findUnit(word: string): Unit | null {
  return UNITS.get(word.toLowerCase()) ?? null;
}
