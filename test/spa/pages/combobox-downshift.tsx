import { useVirtualizer } from "@tanstack/react-virtual";
import { useCombobox, useSelect } from "downshift";
import { useMemo, useRef, useState } from "react";
import { render, SavedForm } from "./_react.tsx";

const CITIES = Array.from({ length: 5000 }, (_, index) => `City ${index + 1}`);

/** Only the options in view are in the document. */
function Rows({
  items,
  getItemProps,
}: {
  items: string[];
  getItemProps: (of: { item: string; index: number }) => object;
}) {
  const pane = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({ count: items.length, getScrollElement: () => pane.current, estimateSize: () => 30 });
  return (
    <div ref={pane} style={{ height: 200, overflow: "auto", border: "1px solid" }}>
      <ul style={{ height: rows.getTotalSize(), position: "relative", margin: 0, padding: 0 }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const item = items[index] ?? "";
          return (
            <li key={item} {...getItemProps({ item, index })} style={{ position: "absolute", top: start, height: 30 }}>
              {item}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Searched({ onChange }: { onChange: (city: string | null) => void }) {
  const [items, setItems] = useState(CITIES);
  const { isOpen, getLabelProps, getInputProps, getMenuProps, getItemProps } = useCombobox({
    items,
    onInputValueChange: ({ inputValue }) => setItems(CITIES.filter((city) => city.includes(inputValue))),
    onSelectedItemChange: ({ selectedItem }) => onChange(selectedItem),
    scrollIntoView: () => {},
  });
  return (
    <div>
      <label {...getLabelProps()}>Birthplace</label> <input {...getInputProps()} />
      <div {...getMenuProps()}>{isOpen && <Rows items={items} getItemProps={getItemProps} />}</div>
    </div>
  );
}

function Listed({ onChange }: { onChange: (city: string | null) => void }) {
  const { isOpen, selectedItem, getLabelProps, getToggleButtonProps, getMenuProps, getItemProps } = useSelect({
    items: CITIES,
    onSelectedItemChange: ({ selectedItem: chosen }) => onChange(chosen),
    scrollIntoView: () => {},
  });
  return (
    <div>
      <label {...getLabelProps()}>Home</label> <div {...getToggleButtonProps()}>{selectedItem ?? "Choose a city"}</div>
      <div {...getMenuProps()}>{isOpen && <Rows items={CITIES} getItemProps={getItemProps} />}</div>
    </div>
  );
}

function Page() {
  const [birthplace, setBirthplace] = useState<string | null>(null);
  const [home, setHome] = useState<string | null>(null);
  const state = useMemo(() => ({ birthplace, home }), [birthplace, home]);
  return (
    <SavedForm state={state}>
      <Searched onChange={setBirthplace} />
      <Listed onChange={setHome} />
    </SavedForm>
  );
}

render(Page);
