import { RangeSlider, Rating, SegmentedControl, Slider, Tabs, Text, Tree, useTree } from "@mantine/core";
import { Slider as MuiSlider } from "@mui/material";
import { useMemo, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

const FOLDERS = [
  {
    value: "work",
    label: "Work",
    children: [
      { value: "plans", label: "Plans" },
      { value: "bills", label: "Bills" },
    ],
  },
  { value: "home", label: "Home", children: [{ value: "garden", label: "Garden" }] },
];

function Page() {
  const [volume, setVolume] = useState(40);
  const [price, setPrice] = useState<[number, number]>([20, 80]);
  const [zoom, setZoom] = useState(5);
  const [stars, setStars] = useState(0);
  const [view, setView] = useState("List");
  const [tab, setTab] = useState<string | null>("general");
  const tree = useTree({ multiple: false });
  const { selectedState: folders } = tree;
  const state = useMemo(
    () => ({ volume, price, zoom, stars, view, tab, folders }),
    [volume, price, zoom, stars, view, tab, folders],
  );
  return (
    <SavedForm state={state}>
      <Text>Volume</Text>
      <Slider thumbLabel="Volume" value={volume} onChange={setVolume} step={5} />
      <RangeSlider thumbFromLabel="Lowest price" thumbToLabel="Highest price" value={price} onChange={setPrice} />
      <MuiSlider aria-label="Zoom" min={0} max={10} value={zoom} onChange={(_event, value) => setZoom(Number(value))} />
      <Rating aria-label="Stars" value={stars} onChange={setStars} />
      <SegmentedControl data={["List", "Board", "Calendar"]} value={view} onChange={setView} />
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List>
          <Tabs.Tab value="general">General</Tabs.Tab>
          <Tabs.Tab value="members">Members</Tabs.Tab>
          <Tabs.Tab value="billing">Billing</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="general">General settings</Tabs.Panel>
        <Tabs.Panel value="members">Seven members</Tabs.Panel>
        <Tabs.Panel value="billing">Paid until May</Tabs.Panel>
      </Tabs>
      <Tree data={FOLDERS} tree={tree} selectOnClick />
    </SavedForm>
  );
}

renderMantine(Page);
