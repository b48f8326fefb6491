import { Grid, Stack } from "@mantine/core";
import { useMe } from "../../api/account.ts";
import { countOf } from "../../components/count.ts";
import { Empty, PageTitle } from "../../components/page.tsx";
import { BalanceFigure } from "./balance-figure.tsx";
import { GrantForm } from "./grant-form.tsx";
import { Ledger } from "./ledger.tsx";
import { UsagePanel } from "./usage-panel.tsx";

export function CreditsPage() {
  const me = useMe();
  if (me.owner === null) {
    return (
      <>
        <PageTitle title="Credits" />
        <Empty title="You don't need credits">
          Only application owners pay for errands. Errands that run for you are free.
        </Empty>
      </>
    );
  }
  const price = countOf(me.execution_price, "credit");
  return (
    <>
      <PageTitle
        title="Credits"
        about={`A verified result costs ${price}. Credits are reserved when an errand is created and refunded if it fails.`}
      />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <UsagePanel />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <BalanceFigure balance={me.owner.balance} price={me.execution_price} isOperator={me.is_operator} />
            {me.is_operator && <GrantForm />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={12}>
          <Ledger />
        </Grid.Col>
      </Grid>
    </>
  );
}
