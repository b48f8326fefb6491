import { Anchor, Card, Group, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { Artifact, ArtifactKind } from "../../../../../src/contract/execution.ts";
import { artifactAddress } from "../../../api/executions.ts";
import { cleanText, ForeignText } from "../../../parts/foreign-text.tsx";
import { Icon } from "../../../shell/icon.tsx";

const ABOUT: Record<ArtifactKind, string> = {
  download: "Sent by the site. It was never opened.",
  page: "The last page, as the agent read it",
  network: "Every request that may have changed something",
  provenance: "Where each extracted value stood",
  screenshot: "A picture",
};
const units = ["B", "kB", "MB", "GB"];

/** What the run has kept: downloads first, pictures only on request, since the timeline shows them. */
export function FilesCard({ executionId, artifacts }: { executionId: string; artifacts: readonly Artifact[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const pictures = artifacts.filter(({ kind }) => kind === "screenshot");
  const downloads = artifacts.filter(({ kind }) => kind === "download");
  const others = artifacts.filter(({ kind }) => kind !== "screenshot" && kind !== "download");
  if (artifacts.length === 0) return null;
  return (
    <Card withBorder component="section" aria-labelledby="files-title">
      <Title order={2} size="h5" id="files-title" mb="sm">
        Files
      </Title>
      <Stack component="ul" gap="sm" className="plain-list">
        {[...downloads, ...others, ...(isWhole ? pictures : [])].map((artifact) => (
          <li key={artifact.id}>
            <FileLine executionId={executionId} artifact={artifact} />
          </li>
        ))}
      </Stack>
      {!isWhole && pictures.length > 0 && (
        <Anchor component="button" type="button" size="sm" mt="sm" ta="start" onClick={() => setIsWhole(true)}>
          {pictures.length === 1 ? "and a picture" : `and ${pictures.length} pictures`}
        </Anchor>
      )}
    </Card>
  );
}

function FileLine({ executionId, artifact: { id, kind, name, bytes } }: { executionId: string; artifact: Artifact }) {
  return (
    <Group gap="xs" wrap="nowrap" align="start" className="file-line">
      <Icon name="download" size={16} />
      <div>
        <Anchor href={artifactAddress(executionId, id)} download={cleanText(name)} size="sm">
          <ForeignText>{name}</ForeignText>
        </Anchor>
        <Text size="xs" c="dimmed">
          {ABOUT[kind]}, {tellSize(bytes)}
        </Text>
      </div>
    </Group>
  );
}

function tellSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1_000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`;
}
