import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { offeredConnectionsQuery } from "../../../api/executions.ts";
import { ownConnectionsQuery, ownedApplicationsQuery } from "../../../api/home.ts";
import { useMe } from "../../../api/me.ts";
import { cleanText } from "../../../parts/foreign-text.tsx";
import type { ListFilter } from "./list-filter.ts";

interface Choice {
  value: string;
  label: string;
}

type Chosen = Pick<ListFilter, "application_id" | "connection_id">;

/** For which application, and as whom. Whoever is named by the address is offered in any case. */
export function OriginFilters({ chosen, onChoose }: { chosen: Chosen; onChoose: (chosen: Chosen) => void }) {
  const { application_id, connection_id } = chosen;
  const { owned, others } = useApplications();
  const isOwned = owned.some(({ value }) => value === application_id);
  const connections = useConnections(application_id, isOwned);
  return (
    <>
      <NativeSelect
        aria-label="Application"
        data={[{ value: "", label: "Any application" }, ...withChosen([...owned, ...others], application_id)]}
        value={application_id ?? ""}
        onChange={({ currentTarget: { value } }) => onChoose(value === "" ? {} : { application_id: value })}
      />
      <NativeSelect
        aria-label="User"
        data={[{ value: "", label: "Any user" }, ...withChosen(connections, connection_id)]}
        value={connection_id ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChoose({
            ...(application_id === undefined ? {} : { application_id }),
            ...(value === "" ? {} : { connection_id: value }),
          })
        }
      />
    </>
  );
}

function useApplications(): { owned: Choice[]; others: Choice[] } {
  const me = useMe();
  const applications = useQuery({ ...ownedApplicationsQuery, enabled: me.owner !== null }).data?.applications ?? [];
  const connections = useQuery(ownConnectionsQuery).data?.connections ?? [];
  const owned = applications.map(toChoice);
  const known = new Set(owned.map(({ value }) => value));
  const foreign = new Map(connections.map(({ application }) => [application.id, toChoice(application)]));
  return { owned, others: [...foreign.values()].filter(({ value }) => !known.has(value)) };
}

/** Of an application of one's own everybody who has connected; otherwise oneself. */
function useConnections(applicationId: string | undefined, isOwned: boolean): Choice[] {
  const offered = useQuery({ ...offeredConnectionsQuery(applicationId ?? ""), enabled: isOwned }).data?.connections;
  const own = useQuery(ownConnectionsQuery).data?.connections ?? [];
  if (isOwned) return (offered ?? []).map(({ id, user }) => ({ value: id, label: cleanText(user.email) }));
  return own
    .filter(({ application }) => applicationId === undefined || application.id === applicationId)
    .map(({ id, application }) => ({ value: id, label: `Me at ${cleanText(application.name)}` }));
}

function toChoice({ id, name }: { id: string; name: string }): Choice {
  return { value: id, label: cleanText(name) };
}

function withChosen(choices: Choice[], chosen: string | undefined): Choice[] {
  if (chosen === undefined || choices.some(({ value }) => value === chosen)) return choices;
  return [...choices, { value: chosen, label: `Only ${chosen.slice(0, 8)}…` }];
}
