import { Button, Menu } from "@mantine/core";
import { type ReactNode, type Ref, useRef, useState } from "react";

/** Which dialog of a page's actions is open, with the menu that most of them are opened from. */
export function useMenuDialogs<Dialog extends string>() {
  const [dialog, open] = useState<Dialog | null>(null);
  const menu = useRef<HTMLButtonElement>(null);
  return {
    dialog,
    open,
    menu,
    close: () => open(null),
    /** For dialogs that were opened from the menu. */
    closeToMenu() {
      open(null);
      // The menu item that had the focus is gone.
      menu.current?.focus();
    },
  };
}

interface MoreMenuProps {
  ref: Ref<HTMLButtonElement>;
  /** Items. */
  children: ReactNode;
  onDelete: () => void;
}

/** What is done rarely, and last what cannot be undone. */
export function MoreMenu({ ref, children, onDelete }: MoreMenuProps) {
  return (
    <Menu position="bottom-end" width={220} withinPortal>
      <Menu.Target>
        <Button ref={ref} variant="default">
          More
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {children}
        <Menu.Divider />
        <Menu.Item color="red" onClick={onDelete}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
