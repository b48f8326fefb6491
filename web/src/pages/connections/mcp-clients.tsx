import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { McpClientItem } from "../../../../src/contract/console/mcp-clients.ts";
import { mcpClientsQuery, useRevokeMcpClient } from "../../api/mcp-clients.ts";
import { Confirm } from "../../components/feedback.tsx";
import { Fact } from "../../components/page.tsx";
import { RelativeTime } from "../../components/time.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";

/** The AI assistants on one connection. Nothing is shown where there are none. */
export function McpClients({ connectionId }: { connectionId: string }) {
  const { data = [] } = useQuery(mcpClientsQuery);
  const clients = data.filter((client) => client.connection_id === connectionId);
  if (clients.length === 0) return null;
  return (
    <Fact name="Assistants (MCP)">
      <ul className="plain-list">
        {clients.map((client) => (
          <ClientRow key={client.client_id} client={client} />
        ))}
      </ul>
    </Fact>
  );
}

function ClientRow({ client }: { client: McpClientItem }) {
  const { connection_id, client_id } = client;
  const [isConfirming, setIsConfirming] = useState(false);
  const revoke = useRevokeMcpClient();
  const name = cleanText(client.name);
  // The name is the program's own choice. Only the host of its id says whose it is.
  const host = URL.parse(client_id)?.host;
  return (
    <Group component="li" gap="xs">
      <span className="wrap-anywhere">
        {name}
        {host !== undefined && host !== "" && ` of ${host}`}, connected <RelativeTime at={client.connected_at} />
      </span>
      <Button
        variant="subtle"
        color="red"
        size="compact-xs"
        onClick={() => setIsConfirming(true)}
        aria-label={`Disconnect ${name}`}
      >
        Disconnect
      </Button>
      <Confirm
        title={`Disconnect ${name}?`}
        action="Disconnect assistant"
        isOpen={isConfirming}
        isBusy={revoke.isPending}
        error={revoke.error}
        onClose={() => setIsConfirming(false)}
        onConfirm={() => revoke.mutate({ connection_id, client_id }, { onSuccess: () => setIsConfirming(false) })}
      >
        It can't run errands for you any more until you connect it again. The app and its other assistants stay
        connected.
      </Confirm>
    </Group>
  );
}
