import { createContext, useContext } from "react";
import type { Box, Place } from "../pictures/picture.ts";
import { isRecord, readNumber, readRecords, readText } from "../timeline/read-data.ts";

/** Where values of the data stood, by their JSON pointer. */
export type Places = ReadonlyMap<string, Place>;

export const PlacesContext = createContext<Places>(new Map());

export function usePlace(pointer: string): Place | undefined {
  return useContext(PlacesContext).get(pointer);
}

export function readPlaces(provenance: unknown): Places {
  return new Map(
    readRecords(provenance)
      .map(readPlace)
      .map((place) => [place.pointer, place]),
  );
}

export function pointerTo(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function readPlace({ pointer, quote, url, screenshot, box }: Record<string, unknown>): Place {
  return {
    pointer: readText(pointer),
    quote: typeof quote === "string" ? quote : null,
    url: readText(url),
    screenshot: readText(screenshot) || null,
    box: readBox(box),
  };
}

function readBox(box: unknown): Box | null {
  if (!isRecord(box)) return null;
  const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => readNumber(box[side]));
  if (x == null || y == null || width == null || height == null) return null;
  return { x, y, width, height };
}
