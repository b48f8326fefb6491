import { ActionIcon, Button, Menu, Menubar } from "@mantine/core";
import { MenuItem, Button as MuiButton, Menu as MuiMenu } from "@mui/material";
import { useEffect, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { save, show } from "./_page.ts";

const ROWS = ["Invoice 1", "Invoice 2", "Invoice 3"];

function Page() {
  const [done, setDone] = useState<string[]>([]);
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  useEffect(() => show({ done }), [done]);
  const run = (what: string) => () => {
    setDone((before) => [...before, what]);
    void save({ what });
  };
  return (
    <main>
      <Menubar>
        <Menubar.Menu>
          <Menubar.Target>File</Menubar.Target>
          <Menubar.Dropdown>
            <Menu.Item onClick={run("new")}>New</Menu.Item>
            <Menu.Item onClick={run("open")}>Open</Menu.Item>
          </Menubar.Dropdown>
        </Menubar.Menu>
        <Menubar.Menu>
          <Menubar.Target>Edit</Menubar.Target>
          <Menubar.Dropdown>
            <Menu.Item onClick={run("undo")}>Undo</Menu.Item>
            <Menu.Item onClick={run("redo")}>Redo</Menu.Item>
          </Menubar.Dropdown>
        </Menubar.Menu>
      </Menubar>
      <table>
        <tbody>
          {ROWS.map((row) => (
            <tr key={row}>
              <td>{row}</td>
              <td>
                <Menu>
                  <Menu.Target>
                    <ActionIcon>⋮</ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item onClick={run(`duplicate ${row}`)}>Duplicate</Menu.Item>
                    <Menu.Sub>
                      <Menu.Sub.Target>
                        <Menu.Sub.Item>Move to</Menu.Sub.Item>
                      </Menu.Sub.Target>
                      <Menu.Sub.Dropdown>
                        <Menu.Item onClick={run(`archive ${row}`)}>Archive</Menu.Item>
                        <Menu.Item onClick={run(`bin ${row}`)}>Bin</Menu.Item>
                      </Menu.Sub.Dropdown>
                    </Menu.Sub>
                  </Menu.Dropdown>
                </Menu>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Menu trigger="hover">
        <Menu.Target>
          <Button>Help</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={run("shortcuts")}>Keyboard shortcuts</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <MuiButton onClick={(event) => setAnchor(event.currentTarget)}>Account</MuiButton>
      <MuiMenu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        <MenuItem onClick={run("profile")}>Profile</MenuItem>
        <MenuItem
          onClick={() => {
            setAnchor(null);
            run("sign out")();
          }}
        >
          Sign out
        </MenuItem>
      </MuiMenu>
    </main>
  );
}

renderMantine(Page);
