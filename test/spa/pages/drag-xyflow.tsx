import { addEdge, Background, type Connection, ReactFlow, useEdgesState, useNodesState } from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useEffect } from "react";
import { show } from "./_page.ts";
import { render } from "./_react.tsx";

const NODES = [
  { id: "timer", type: "input", position: { x: 40, y: 40 }, data: { label: "Timer" } },
  { id: "mail", type: "output", position: { x: 300, y: 240 }, data: { label: "Send mail" } },
];

function Page() {
  const [nodes, , onNodesChange] = useNodesState(NODES);
  const [edges, setEdges, onEdgesChange] = useEdgesState([]);
  useEffect(() => {
    show({
      edges: edges.map(({ source, target }) => `${source} to ${target}`),
      positions: Object.fromEntries(nodes.map(({ id, position }) => [id, position])),
    });
  }, [nodes, edges]);
  return (
    <div style={{ width: 700, height: 450, border: "1px solid" }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onConnect={(connection: Connection) => setEdges((all) => addEdge(connection, all))}
        onNodeDoubleClick={(_, { data }) => {
          document.title = `Editing ${String(data.label)}`;
        }}
      >
        <Background />
      </ReactFlow>
    </div>
  );
}

render(Page);
