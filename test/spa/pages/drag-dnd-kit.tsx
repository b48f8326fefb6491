import {
  closestCorners,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useDroppable,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { type ReactNode, useEffect, useState } from "react";
import { save, show } from "./_page.ts";
import { render } from "./_react.tsx";

type Columns = Record<string, string[]>;

const ALL: Columns = { Todo: ["Paint", "Sand", "Varnish"], Doing: ["Saw"], Done: [] };

function Card({ id, offersKeys }: { id: string; offersKeys: boolean }) {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const style = {
    transform: CSS.Transform.toString(transform),
    transition,
    padding: 12,
    margin: 6,
    border: "1px solid gray",
    touchAction: "none",
  };
  // Without its attributes a card says nothing about keys, as in many pages.
  const described = offersKeys ? attributes : {};
  return (
    <div ref={setNodeRef} style={style} {...described} {...listeners}>
      {id}
    </div>
  );
}

function Column({ name, children }: { name: string; children: ReactNode }) {
  const { setNodeRef } = useDroppable({ id: name });
  return (
    <section ref={setNodeRef} className="column" style={{ width: 220, minHeight: 300, border: "1px solid" }}>
      <h2>{name}</h2>
      {children}
    </section>
  );
}

function Board({ offersKeys }: { offersKeys: boolean }) {
  const [columns, setColumns] = useState(ALL);
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    ...(offersKeys ? [useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates })] : []),
  );
  useEffect(() => show(columns), [columns]);

  function columnOf(id: string): string {
    return id in columns ? id : (Object.keys(columns).find((name) => columns[name]?.includes(id)) ?? "");
  }

  function drop({ active, over }: DragEndEvent): void {
    if (over === null || active.id === over.id) return;
    const [item, onto] = [String(active.id), String(over.id)];
    const [from, to] = [columnOf(item), columnOf(onto)];
    const [source = [], target = []] = [columns[from], columns[to]];
    const at = target.includes(onto) ? target.indexOf(onto) : target.length;
    const next =
      from === to
        ? { ...columns, [from]: arrayMove(source, source.indexOf(item), Math.min(at, source.length - 1)) }
        : { ...columns, [from]: source.filter((one) => one !== item), [to]: target.toSpliced(at, 0, item) };
    setColumns(next);
    void save(next);
  }

  return (
    <DndContext sensors={sensors} collisionDetection={closestCorners} onDragEnd={drop}>
      <div style={{ display: "flex", gap: 20 }}>
        {Object.entries(columns).map(([name, items]) => (
          <SortableContext key={name} items={items}>
            <Column name={name}>
              {items.map((id) => (
                <Card key={id} id={id} offersKeys={offersKeys} />
              ))}
            </Column>
          </SortableContext>
        ))}
      </div>
    </DndContext>
  );
}

render(() => <Board offersKeys={!location.search.includes("mouse")} />);
