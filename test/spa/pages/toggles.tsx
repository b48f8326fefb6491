import { Checkbox, Chip, FileButton, FileInput, Radio, Switch } from "@mantine/core";
import { FormControlLabel, Switch as MuiSwitch, ToggleButton, ToggleButtonGroup } from "@mui/material";
import { useEffect, useMemo, useState } from "react";
import { renderMantine } from "./_mantine.tsx";
import { SavedForm } from "./_react.tsx";

function useText(file: File | null): string | null {
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    void file?.text().then((content) => setText(`${file.name}: ${content}`));
  }, [file]);
  return text;
}

function Page() {
  const [isDark, setIsDark] = useState(false);
  const [isLoud, setIsLoud] = useState(true);
  const [sizes, setSizes] = useState<string[]>(["small"]);
  const [plan, setPlan] = useState("free");
  const [formats, setFormats] = useState<string[]>(["bold"]);
  const [isAgreed, setIsAgreed] = useState(false);
  const [letter, setLetter] = useState<File | null>(null);
  const [picture, setPicture] = useState<File | null>(null);
  const letterText = useText(letter);
  const pictureText = useText(picture);
  const state = useMemo(
    () => ({ isDark, isLoud, sizes, plan, formats, isAgreed, letter: letterText, picture: pictureText }),
    [isDark, isLoud, sizes, plan, formats, isAgreed, letterText, pictureText],
  );
  return (
    <SavedForm state={state}>
      <Switch label="Dark mode" checked={isDark} onChange={(event) => setIsDark(event.currentTarget.checked)} />
      <FormControlLabel
        label="Sound"
        control={<MuiSwitch checked={isLoud} onChange={(_event, checked) => setIsLoud(checked)} />}
      />
      <Chip.Group multiple value={sizes} onChange={setSizes}>
        <Chip value="small">Small</Chip>
        <Chip value="large">Large</Chip>
      </Chip.Group>
      <Radio.Group label="Plan" value={plan} onChange={setPlan}>
        <Radio.Card value="free">Free of charge</Radio.Card>
        <Radio.Card value="paid">Paid monthly</Radio.Card>
      </Radio.Group>
      <ToggleButtonGroup value={formats} onChange={(_event, values: string[]) => setFormats(values)}>
        <ToggleButton value="bold">Bold</ToggleButton>
        <ToggleButton value="italic">Italic</ToggleButton>
      </ToggleButtonGroup>
      <Checkbox.Card checked={isAgreed} onChange={setIsAgreed}>
        <Checkbox.Indicator /> I have read the rules
      </Checkbox.Card>
      <FileInput label="Letter" placeholder="Choose a file" value={letter} onChange={setLetter} />
      <FileButton onChange={setPicture}>
        {(props) => (
          <button type="button" {...props}>
            Add picture
          </button>
        )}
      </FileButton>
    </SavedForm>
  );
}

renderMantine(Page);
