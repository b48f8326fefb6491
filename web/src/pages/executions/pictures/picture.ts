import { createContext, useContext } from "react";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where an extracted value stood. */
export interface Place {
  pointer: string;
  quote: string | null;
  url: string;
  /** The id of the picture that shows it. */
  screenshot: string | null;
  box: Box | null;
}

/** What is looked at closely: the picture of a step, or the place of a value. */
export type Viewed = { kind: "step"; stepKey: number } | { kind: "place"; place: Place };

/** Anything on the page can ask for a closer look. */
export const ViewContext = createContext<(viewed: Viewed) => void>(() => {});

export function useView(): (viewed: Viewed) => void {
  return useContext(ViewContext);
}
