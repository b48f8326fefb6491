import { Badge, Button, Group, Stack, Table, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ownersQuery, useAddOwner } from "../../api/account.ts";
import { ErrorAlert, LoadingRows } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";

/** The people who can own applications, each with their own balance. */
export function OwnersPanel() {
  const { data, error, refetch } = useQuery(ownersQuery);
  return (
    <Panel title="Owners">
      <Stack>
        {data === undefined && error === null && <LoadingRows />}
        {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
        {data !== undefined && (
          <Table.ScrollContainer minWidth={420} type="native" tabIndex={0} role="region" aria-label="All owners">
            <Table verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Email address</Table.Th>
                  <Table.Th ta="right">Applications</Table.Th>
                  <Table.Th ta="right">Balance</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.owners.map(({ id, email, applications, balance, is_operator }) => (
                  <Table.Tr key={id}>
                    <Table.Td>
                      <Group gap="xs">
                        <span className="wrap-anywhere">{email ?? "No account yet"}</span>
                        {is_operator && (
                          <Badge variant="light" tt="none" size="sm">
                            Installation owner
                          </Badge>
                        )}
                      </Group>
                    </Table.Td>
                    <Table.Td ta="right" className="figures">
                      {applications.toLocaleString("en")}
                    </Table.Td>
                    <Table.Td ta="right" className="figures">
                      {balance.toLocaleString("en")}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
        <AddOwner />
      </Stack>
    </Panel>
  );
}

function AddOwner() {
  const [email, setEmail] = useState("");
  const add = useAddOwner();

  function submit(event: FormEvent) {
    event.preventDefault();
    add.mutate(
      { email },
      {
        onSuccess() {
          setEmail("");
          notifications.show({
            title: `${cleanText(email)} is now an owner`,
            message: "You can grant them credits on the Credits page.",
          });
        },
      },
    );
  }

  return (
    <form onSubmit={submit} noValidate>
      <Group align="end" gap="sm">
        <TextInput
          label="Add an owner"
          description="The person needs an account on this installation. Owners can create applications."
          placeholder="person@example.com"
          type="email"
          maxLength={254}
          w={{ base: "100%", xs: 420 }}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          error={add.error !== null}
        />
        <Button type="submit" variant="light" loading={add.isPending} disabled={email.trim() === ""}>
          Add owner
        </Button>
      </Group>
      {add.error !== null && (
        <Text role="alert" size="sm" c="red" mt="xs">
          {add.error.message}
        </Text>
      )}
    </form>
  );
}
