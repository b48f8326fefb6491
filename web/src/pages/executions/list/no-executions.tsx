import { Button, Group } from "@mantine/core";
import { Link } from "wouter";
import { useMe } from "../../../api/me.ts";
import { Empty } from "../../../parts/empty.tsx";

/** How the first one comes to be depends on who looks. */
export function NoExecutions() {
  const me = useMe();
  if (me.owner === null) {
    return (
      <Empty title="Nothing has been done for you yet">
        When an application that you have connected runs an errand for you, everything it did is shown here.
      </Empty>
    );
  }
  return (
    <Empty title="No executions yet">
      An errand is a prompt that is carried out in a browser. Try one on the demo shop, or send one from your
      application.
      <Group justify="center" mt="md">
        <Button component={Link} href="/">
          Run a first errand
        </Button>
        <Button component={Link} href="/applications" variant="default">
          Your applications
        </Button>
      </Group>
    </Empty>
  );
}
