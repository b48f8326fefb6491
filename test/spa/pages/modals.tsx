import { Button, Drawer, Modal, Select, TextInput } from "@mantine/core";
import { Dialog, DialogActions, DialogContent, DialogTitle, Button as MuiButton } from "@mui/material";
import { useEffect, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { save, show } from "./_page.ts";

function Page() {
  const [opened, setOpened] = useState<"task" | "filter" | "delete" | null>(null);
  const [title, setTitle] = useState("");
  const [priority, setPriority] = useState<string | null>(null);
  const [saved, setSaved] = useState<object[]>([]);
  useEffect(() => show({ opened, title, priority, saved }), [opened, title, priority, saved]);
  const finish = (what: object) => {
    setSaved((before) => [...before, what]);
    setOpened(null);
    void save(what);
  };
  return (
    <main>
      <h1>Tasks</h1>
      <Button onClick={() => setOpened("task")}>New task</Button>
      <Button onClick={() => setOpened("filter")}>Filters</Button>
      <Button onClick={() => setOpened("delete")}>Delete all</Button>
      <Modal opened={opened === "task"} onClose={() => setOpened(null)} title="New task">
        <TextInput label="Title" value={title} onChange={(event) => setTitle(event.currentTarget.value)} />
        <Select label="Priority" data={["Low", "Normal", "High"]} value={priority} onChange={setPriority} />
        <Button onClick={() => finish({ title, priority })}>Create</Button>
      </Modal>
      <Drawer opened={opened === "filter"} onClose={() => setOpened(null)} title="Filters">
        <Button onClick={() => finish({ filter: "open" })}>Only open tasks</Button>
      </Drawer>
      <Dialog open={opened === "delete"} onClose={() => setOpened(null)}>
        <DialogTitle>Delete all tasks?</DialogTitle>
        <DialogContent>This cannot be undone.</DialogContent>
        <DialogActions>
          <MuiButton onClick={() => setOpened(null)}>Keep</MuiButton>
          <MuiButton onClick={() => finish({ deleted: "all" })}>Delete</MuiButton>
        </DialogActions>
      </Dialog>
    </main>
  );
}

renderMantine(Page);
