import { Button, NumberInput, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { OwnerItem } from "../../../../src/contract/console/account.ts";
import { ownersQuery, useMe } from "../../api/account.ts";
import { useGrant } from "../../api/credits.ts";
import { Confirm, Problem } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";

const MOST = 1_000_000_000;

/** For the owner of the installation: a grant cannot be taken back, so it is asked about once more. */
export function GrantForm() {
  const me = useMe();
  const { data, error, refetch } = useQuery(ownersQuery);
  const grant = useGrant();
  const [ownerId, setOwnerId] = useState<string | null>(me.owner?.id ?? null);
  const [amount, setAmount] = useState<number | string>(1_000);
  const [isAsking, setIsAsking] = useState(false);
  const owner = data?.owners.find(({ id }) => id === ownerId) ?? null;
  const isPossible =
    owner !== null && typeof amount === "number" && Number.isInteger(amount) && amount >= 1 && amount <= MOST;

  function ask(event: FormEvent) {
    event.preventDefault();
    grant.reset();
    if (isPossible) setIsAsking(true);
  }

  function confirm() {
    if (!isPossible) return;
    grant.mutate(
      { owner_id: owner.id, amount },
      {
        onSuccess({ balance }) {
          setIsAsking(false);
          notifications.show({
            title: `${amount.toLocaleString("en")} credits granted`,
            message: `${nameOf(owner)} now has ${balance.toLocaleString("en")}.`,
          });
        },
      },
    );
  }

  return (
    <Panel title="Grant credits">
      {error !== null && <Problem error={error} onRetry={() => void refetch()} />}
      <form onSubmit={ask}>
        <Stack gap="sm">
          <Select
            label="Owner"
            data={(data?.owners ?? []).map((one) => ({ value: one.id, label: nameOf(one) }))}
            value={ownerId}
            onChange={setOwnerId}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No such owner"
          />
          <NumberInput
            label="Amount"
            value={amount}
            onChange={setAmount}
            min={1}
            max={MOST}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
          />
          {owner !== null && (
            <Text size="xs" c="dimmed">
              Has {owner.balance.toLocaleString("en")} now.
            </Text>
          )}
          <Button type="submit" variant="light" disabled={!isPossible}>
            Grant
          </Button>
        </Stack>
      </form>
      <Confirm
        title="Grant credits?"
        action={`Grant ${Number(amount).toLocaleString("en")}`}
        color="teal"
        isOpen={isAsking}
        isBusy={grant.isPending}
        error={grant.error}
        onClose={() => setIsAsking(false)}
        onConfirm={confirm}
      >
        {owner !== null &&
          `${nameOf(owner)} gets ${Number(amount).toLocaleString("en")} credits. This cannot be taken back.`}
      </Confirm>
    </Panel>
  );
}

function nameOf({ email, is_operator }: OwnerItem): string {
  if (email !== null) return cleanText(email);
  return is_operator ? "The owner of this installation" : "Somebody without an address";
}
