import type { SeenElement } from "./walk-page.ts";

/** Describes an element without text. */
export type DescribeAppearance = (seen: Pick<SeenElement, "element" | "style" | "rect">) => string;

/**
 * Runs in the page. Describes an element without text by its colour, kind and size. The kind of an SVG element is its
 * shape and the words in the class names around it; of other elements, the words in its data attributes, id and class
 * names.
 */
export function describeAppearance({ element, style, rect }: Pick<SeenElement, "element" | "style" | "rect">): string {
  const PALETTE: Readonly<Record<string, readonly [number, number, number]>> = {
    black: [0, 0, 0],
    white: [255, 255, 255],
    gray: [128, 128, 128],
    red: [255, 0, 0],
    green: [0, 128, 0],
    lime: [0, 255, 0],
    olive: [128, 128, 0],
    blue: [0, 0, 255],
    navy: [0, 0, 128],
    teal: [0, 128, 128],
    yellow: [255, 255, 0],
    orange: [255, 165, 0],
    purple: [128, 0, 128],
    magenta: [255, 0, 255],
    pink: [255, 192, 203],
    cyan: [0, 255, 255],
    brown: [139, 69, 19],
  };
  const MAX_WORDS = 4;
  const MAX_DATA_WORDS = 3;
  const MAX_DATA_CHARS = 30;
  const MAX_INNER = 5;

  function nameColor(color: string): string {
    const [red, green, blue, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    if (red === undefined || green === undefined || blue === undefined || alpha < 0.1) return "";
    let nearest = { name: "", distance: Number.POSITIVE_INFINITY };
    for (const [name, [r, g, b]] of Object.entries(PALETTE)) {
      const distance = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (distance < nearest.distance) nearest = { name, distance };
    }
    return nearest.name;
  }

  function nameShape(): string {
    const isEven = Math.abs(rect.width - rect.height) <= 1;
    switch (element.tagName) {
      case "rect":
        return isEven ? "square" : "rectangle";
      case "polygon": {
        const corners = (element.getAttribute("points") ?? "").trim().split(/[\s,]+/).length / 2;
        return corners === 3 ? "triangle" : "polygon";
      }
      default:
        return element.tagName;
    }
  }

  /** Authors write "icon-trash" or "fa fa-star". Generated names are left out. */
  function wordsIn(names: readonly string[]): string[] {
    const words = names.flatMap((name) => name.split(/[-_#\s]+|(?<=[a-z])(?=[A-Z])/));
    return words.map((word) => word.toLowerCase()).filter((word) => /^[a-z]{3,}$/.test(word) && /[aeiouy]/.test(word));
  }

  function wordsOf({ id, classList }: Element): string[] {
    return wordsIn([id, ...classList]);
  }

  /** data-direction="previous" or the name of an icon says more than the class names of a component. */
  function dataOf(one: Element): string[] {
    const told = [...one.attributes].filter(({ name, value }) => {
      const isStyle = /variant|size|color|theme|style|state|status|position/.test(name);
      const isFlag = /^(true|false|auto|none|null)$/.test(value);
      return /^data-|^(xlink:)?href$/.test(name) && !isStyle && !isFlag && value.length <= MAX_DATA_CHARS;
    });
    return wordsIn(told.map(({ value }) => value));
  }

  const title = element.querySelector("title")?.textContent?.trim() ?? "";
  if (title !== "") return title;
  const size = `${Math.round(rect.width)}×${Math.round(rect.height)}`;
  if (element instanceof SVGElement) {
    const color = nameColor(style.fill === "none" ? style.stroke : style.fill);
    const around = element.parentElement?.tagName === "g" ? wordsOf(element.parentElement) : [];
    const kind = [...new Set([...around, ...wordsOf(element)])].slice(0, MAX_WORDS);
    return [color, ...kind, nameShape(), size].filter(Boolean).join(" ");
  }
  const inner = [...element.querySelectorAll("*")].slice(0, MAX_INNER);
  const icon = inner.find((one) => one.hasAttribute("class"));
  const data = [...(element.matches("a") ? [] : dataOf(element)), ...inner.flatMap(dataOf)];
  const classes = [...new Set([...wordsOf(element), ...(icon === undefined ? [] : wordsOf(icon))])].slice(0, MAX_WORDS);
  const words = new Set([...data.slice(0, MAX_DATA_WORDS), ...classes]);
  return [nameColor(style.backgroundColor), ...words, size].filter(Boolean).join(" ");
}
