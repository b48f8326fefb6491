import { Command } from "cmdk";
import { useEffect, useState } from "react";
import { save, show } from "./_page.ts";
import { render } from "./_react.tsx";

const COMMANDS = ["New invoice", "New customer", "Export report", "Archive project", "Switch theme"];

function Page() {
  const [isOpen, setIsOpen] = useState(false);
  const [ran, setRan] = useState<string[]>([]);
  useEffect(() => show({ isOpen, ran }), [isOpen, ran]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "k" && event.ctrlKey) {
        event.preventDefault();
        setIsOpen(true);
      }
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <main>
      <h1>Projects</h1>
      <p>Press Ctrl+K to search for a command.</p>
      <Command.Dialog open={isOpen} onOpenChange={setIsOpen} label="Commands">
        <Command.Input placeholder="Type a command" />
        <Command.List>
          <Command.Empty>No command found.</Command.Empty>
          {COMMANDS.map((command) => (
            <Command.Item
              key={command}
              onSelect={() => {
                setRan((before) => [...before, command]);
                setIsOpen(false);
                void save({ command });
              }}
            >
              {command}
            </Command.Item>
          ))}
        </Command.List>
      </Command.Dialog>
    </main>
  );
}

render(Page);
