import { ColorInput } from "@mantine/core";
import { useMemo, useState } from "react";
import { HexColorInput, HexColorPicker } from "react-colorful";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

function Page() {
  const [accent, setAccent] = useState("#aa0000");
  const [brand, setBrand] = useState("");
  const state = useMemo(() => ({ accent, brand }), [accent, brand]);
  return (
    <SavedForm state={state}>
      <HexColorPicker color={accent} onChange={setAccent} />
      <HexColorInput aria-label="Accent colour" color={accent} onChange={setAccent} />
      <ColorInput label="Brand colour" value={brand} onChange={setBrand} swatches={["#ff0000", "#00ff00", "#0000ff"]} />
    </SavedForm>
  );
}

renderMantine(Page);
