import type { Observation } from "../../../browser/observation/observation.ts";
import type { ObservedNode } from "../../../browser/observation/observed-node.ts";
import { maskAddress } from "../../prompting/mask-address.ts";

/** A page as the model may read it: none of its addresses lets anyone in. Things are pointed at by refs all the same. */
export function maskObservation(observation: Observation): Observation {
  const { url, tabs, root } = observation;
  return {
    ...observation,
    url: maskAddress(url),
    tabs: tabs.map((tab) => ({ ...tab, url: maskAddress(tab.url) })),
    root: maskLinks(root),
  };
}

function maskLinks(node: ObservedNode): ObservedNode {
  const { url, children } = node;
  return { ...node, url: url === null ? null : maskAddress(url), children: children.map(maskLinks) };
}
