import { Type } from "typebox";

/** What every action on one element is told: which one, and what the planner believes that it is. */
export const elementInput = {
  ref: Type.String({
    minLength: 1,
    maxLength: 40,
    description: "The ref of the element in the newest observation, such as e12.",
  }),
  label: Type.String({
    maxLength: 1000,
    description: "The name of that element as you read it. If the element is called otherwise, nothing is done.",
  }),
};

/** For actions that can do without an element. */
export const optionalElementInput = {
  ref: Type.Optional(elementInput.ref),
  label: Type.Optional(elementInput.label),
};
