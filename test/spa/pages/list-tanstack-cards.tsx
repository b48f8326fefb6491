import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { render } from "./_react.tsx";

interface Member {
  name: string;
  city: string;
}

/** Cards of different heights, measured when they are drawn, which load from the server as the list is scrolled. */
render(function Members() {
  const [members, setMembers] = useState<Member[]>([]);
  const [isEnd, setEnd] = useState(false);
  const pane = useRef<HTMLDivElement>(null);
  const isLoading = useRef(false);
  const rows = useVirtualizer({
    count: members.length,
    getScrollElement: () => pane.current,
    estimateSize: () => 60,
    overscan: 2,
  });
  const last = rows.getVirtualItems().at(-1)?.index ?? -1;
  useEffect(() => {
    if (isEnd || isLoading.current || last < members.length - 3) return;
    isLoading.current = true;
    void fetch(`/members?from=${members.length}&count=20`)
      .then((response) => response.json())
      .then((more: Member[]) => {
        isLoading.current = false;
        setMembers((known) => [...known, ...more]);
        if (more.length < 20) setEnd(true);
      });
  }, [last, members.length, isEnd]);
  return (
    <main>
      <h1>Members</h1>
      <div ref={pane} style={{ height: 500, overflow: "auto" }}>
        <ul style={{ position: "relative", height: rows.getTotalSize(), margin: 0 }}>
          {rows.getVirtualItems().map(({ index, start, key }) => (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              style={{ position: "absolute", top: 0, transform: `translateY(${start}px)` }}
            >
              <h3>{members[index]?.name}</h3>
              <p style={{ paddingBottom: (index % 3) * 15 }}>{members[index]?.city}</p>
            </li>
          ))}
        </ul>
      </div>
    </main>
  );
});
