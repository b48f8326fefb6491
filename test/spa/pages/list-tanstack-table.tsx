import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { render } from "./_react.tsx";

interface Member {
  name: string;
  city: string;
}

/** A table whose rows are in the document only while they are visible. */
render(function Members() {
  const [members, setMembers] = useState<Member[]>([]);
  const pane = useRef<HTMLDivElement>(null);
  useEffect(() => {
    void fetch("/members")
      .then((response) => response.json())
      .then(setMembers);
  }, []);
  const rows = useVirtualizer({
    count: members.length,
    getScrollElement: () => pane.current,
    estimateSize: () => 36,
    overscan: 5,
  });
  return (
    <main>
      <h1>Members</h1>
      <div ref={pane} style={{ height: 420, overflow: "auto" }}>
        <table style={{ display: "grid" }}>
          <thead style={{ display: "grid" }}>
            <tr style={{ display: "flex" }}>
              <th style={{ width: 300 }}>Name</th>
              <th style={{ width: 200 }}>City</th>
            </tr>
          </thead>
          <tbody style={{ display: "grid", position: "relative", height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ index, start, key }) => (
              <tr
                key={key}
                style={{ display: "flex", position: "absolute", height: 36, transform: `translateY(${start}px)` }}
              >
                <td style={{ width: 300 }}>{members[index]?.name}</td>
                <td style={{ width: 200 }}>{members[index]?.city}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </main>
  );
});
