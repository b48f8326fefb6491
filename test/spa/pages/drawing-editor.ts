import { drag } from "d3-drag";
import { pointer, select } from "d3-selection";
import { root, show } from "./_page.ts";

interface Step {
  name: string;
  x: number;
  y: number;
}

const steps: Step[] = [
  { name: "inject", x: 60, y: 60 },
  { name: "debug 1", x: 320, y: 60 },
];
const wires: string[] = [];
let from: string | null = null;

const svg = select(root()).append("svg").attr("width", 700).attr("height", 400);

function report(): void {
  show({ steps, wires });
}

const nodes = svg
  .append("g")
  .selectAll("g")
  .data(steps)
  .join("g")
  .attr("class", "flow-node")
  .attr("transform", ({ x, y }) => `translate(${x},${y})`);

nodes
  .append("rect")
  .attr("class", "body")
  .attr("width", 140)
  .attr("height", 34)
  .attr("fill", "#fdd0a2")
  .attr("stroke", "gray")
  .on("dblclick", (_, { name }) => {
    document.title = `Editing ${name}`;
  });
nodes
  .append("text")
  .attr("x", 40)
  .attr("y", 22)
  .style("pointer-events", "none")
  .text(({ name }) => name);
nodes
  .append("rect")
  .attr("class", "port")
  .attr("x", 134)
  .attr("y", 11)
  .attr("width", 12)
  .attr("height", 12)
  .attr("fill", "gray")
  .style("cursor", "crosshair")
  .on("mousedown", (event: MouseEvent, { name }) => {
    from = name;
    event.stopPropagation();
  });

svg.on("mouseup", (event: MouseEvent) => {
  const [x, y] = pointer(event);
  const onto = steps.find((step) => x >= step.x && x <= step.x + 146 && y >= step.y && y <= step.y + 34);
  if (from !== null && onto !== undefined && onto.name !== from) {
    wires.push(`${from} to ${onto.name}`);
    svg.append("path").attr("d", "M200,80 L320,80").attr("stroke", "black");
  }
  from = null;
  report();
});

nodes.call(
  drag<SVGGElement, Step>().on("drag", function move(event: { dx: number; dy: number }, step) {
    step.x += event.dx;
    step.y += event.dy;
    select(this).attr("transform", `translate(${step.x},${step.y})`);
    report();
  }),
);
