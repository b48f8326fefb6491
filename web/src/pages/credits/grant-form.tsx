import { Button, NumberInput, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { OwnerItem } from "../../../../src/contract/console/account.ts";
import { ownersQuery, useMe } from "../../api/account.ts";
import { useGrant } from "../../api/credits.ts";
import { countOf } from "../../components/count.ts";
import { Confirm, ErrorAlert } from "../../components/feedback.tsx";
import { Panel } from "../../components/page.tsx";
import { cleanText } from "../../components/untrusted-text.tsx";

const MAX_AMOUNT = 1_000_000_000;

/** For the owner of the installation. A grant can't be undone, so it asks for confirmation. */
export function GrantForm() {
  const me = useMe();
  const { data, error, refetch } = useQuery(ownersQuery);
  const grant = useGrant();
  const [ownerId, setOwnerId] = useState<string | null>(me.owner?.id ?? null);
  const [amount, setAmount] = useState<number | string>(1_000);
  const [isConfirming, setIsConfirming] = useState(false);
  const owner = data?.owners.find(({ id }) => id === ownerId) ?? null;
  const isValid =
    owner !== null && typeof amount === "number" && Number.isInteger(amount) && amount >= 1 && amount <= MAX_AMOUNT;

  function submit(event: FormEvent) {
    event.preventDefault();
    grant.reset();
    if (isValid) setIsConfirming(true);
  }

  function confirm() {
    if (!isValid) return;
    grant.mutate(
      { owner_id: owner.id, amount },
      {
        onSuccess({ balance }) {
          setIsConfirming(false);
          notifications.show({
            title: `${countOf(amount, "credit")} granted`,
            message: `${nameOf(owner)} now has ${countOf(balance, "credit")}.`,
          });
        },
      },
    );
  }

  return (
    <Panel title="Grant credits">
      {error !== null && <ErrorAlert error={error} onRetry={() => void refetch()} />}
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Select
            label="Owner"
            data={(data?.owners ?? []).map((one) => ({ value: one.id, label: nameOf(one) }))}
            value={ownerId}
            onChange={setOwnerId}
            searchable
            allowDeselect={false}
            nothingFoundMessage="No owner found"
          />
          <NumberInput
            label="Amount"
            value={amount}
            onChange={setAmount}
            min={1}
            max={MAX_AMOUNT}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
          />
          {owner !== null && (
            <Text size="xs" c="dimmed">
              Current balance: {owner.balance.toLocaleString("en")}
            </Text>
          )}
          <Button type="submit" variant="light" disabled={!isValid}>
            Grant
          </Button>
        </Stack>
      </form>
      <Confirm
        title="Grant credits?"
        action={`Grant ${Number(amount).toLocaleString("en")}`}
        color="teal"
        isOpen={isConfirming}
        isBusy={grant.isPending}
        error={grant.error}
        onClose={() => setIsConfirming(false)}
        onConfirm={confirm}
      >
        {owner !== null && `${nameOf(owner)} will receive ${countOf(Number(amount), "credit")}. This can't be undone.`}
      </Confirm>
    </Panel>
  );
}

function nameOf({ email, is_operator }: OwnerItem): string {
  if (email !== null) return cleanText(email);
  return is_operator ? "Owner of this installation" : "Owner without an account";
}
