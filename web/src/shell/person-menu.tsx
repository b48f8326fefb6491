import { Avatar, Menu, UnstyledButton } from "@mantine/core";
import { Link } from "wouter";
import { signOut } from "../api/account.ts";

export function PersonMenu({ email }: { email: string }) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${email}`}>
          <Avatar size={34} color="teal" variant="filled" aria-hidden="true">
            {email.slice(0, 1).toUpperCase()}
          </Avatar>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wrap-anywhere">{email}</Menu.Label>
        <Menu.Item component={Link} href="/settings">
          Settings
        </Menu.Item>
        <Menu.Item onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
