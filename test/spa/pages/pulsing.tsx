import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { save, show } from "./_page.ts";

const STYLES = `
  @keyframes pulse { 50% { transform: scale(1.15); box-shadow: 0 0 20px red; } }
  @keyframes drift { 50% { transform: translateX(12px); } }
  .pulse { animation: pulse 0.6s infinite ease-in-out; }
  .drift { animation: drift 0.4s infinite linear; }`;

function Page() {
  const [clicks, setClicks] = useState<string[]>([]);
  useEffect(() => show({ clicks }), [clicks]);
  const count = (name: string) => () => {
    setClicks((before) => [...before, name]);
    void save({ name });
  };
  return (
    <main style={{ padding: 40 }}>
      <style>{STYLES}</style>
      <Button className="pulse" onClick={count("subscribe")}>
        Subscribe
      </Button>{" "}
      <Button className="drift" onClick={count("claim")}>
        Claim
      </Button>
    </main>
  );
}

renderMantine(Page);
