import { Button } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { useEffect, useState } from "react";
import "@mantine/notifications/styles.css";
import { renderMantine } from "./_mantine.tsx";
import { save, show } from "./_page.ts";

function Page() {
  const [saved, setSaved] = useState(0);
  useEffect(() => show({ saved }), [saved]);
  const keep = (message: string, autoClose: number | false) => async () => {
    await save({ message });
    setSaved((before) => before + 1);
    notifications.show({ title: "Orders", message, autoClose });
  };
  return (
    <main>
      <Notifications position="bottom-right" />
      <Button onClick={keep("Saved as draft 17", 1500)}>Save draft</Button>
      <Button onClick={keep("Order 4711 was placed", false)}>Place order</Button>
      <Button style={{ position: "fixed", right: 40, bottom: 30 }} onClick={keep("Continued", 1000)}>
        Continue
      </Button>
    </main>
  );
}

renderMantine(Page);
