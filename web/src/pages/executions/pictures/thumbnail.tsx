import { UnstyledButton } from "@mantine/core";
import { useState } from "react";
import { artifactAddress } from "../../../api/executions.ts";
import type { Step } from "../timeline/run.ts";
import { useView } from "./picture.ts";

/** What the agent saw after a step; loaded when it comes near the screen. */
export function Thumbnail({ executionId, step }: { executionId: string; step: Step }) {
  const view = useView();
  const [isGone, setIsGone] = useState(false);
  if (step.screenshot === null || isGone) return <div className="thumbnail thumbnail-missing">No picture</div>;
  return (
    <UnstyledButton
      className="thumbnail"
      aria-label={`Enlarge the picture of step ${step.number}`}
      onClick={() => view({ kind: "step", stepKey: step.key })}
    >
      <img
        src={artifactAddress(executionId, step.screenshot)}
        alt=""
        loading="lazy"
        decoding="async"
        onError={() => setIsGone(true)}
      />
    </UnstyledButton>
  );
}
