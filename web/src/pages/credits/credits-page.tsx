import { Grid, Stack } from "@mantine/core";
import { useMe } from "../../api/account.ts";
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
        <Empty title="You pay for nothing here">Credits belong to owners of applications, and you are none.</Empty>
      </>
    );
  }
  const price = me.execution_price === 1 ? "1 credit" : `${me.execution_price} credits`;
  return (
    <>
      <PageTitle
        title="Credits"
        about={`A verified result costs ${price}. The price is set aside when an execution begins and given back when it fails.`}
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
