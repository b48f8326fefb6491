import { RangeSlider, Slider } from "@mantine/core";
import { useMemo, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

function Page() {
  const [volume, setVolume] = useState(40);
  const [price, setPrice] = useState<[number, number]>([20, 80]);
  const state = useMemo(() => ({ volume, price }), [volume, price]);
  return (
    <SavedForm state={state}>
      <Slider thumbLabel="Volume" value={volume} onChange={setVolume} step={5} style={{ width: 400, margin: 40 }} />
      <RangeSlider
        thumbFromLabel="Lowest price"
        thumbToLabel="Highest price"
        value={price}
        onChange={setPrice}
        style={{ width: 400, margin: 40 }}
      />
    </SavedForm>
  );
}

renderMantine(Page);
