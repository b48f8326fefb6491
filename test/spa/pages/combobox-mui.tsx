import {
  Autocomplete,
  Checkbox,
  FormControl,
  InputLabel,
  ListItemText,
  MenuItem,
  Select,
  TextField,
} from "@mui/material";
import { useMemo, useState } from "react";
import { render, SavedForm } from "./_react.tsx";

const FILMS = ["Alien", "Brazil", "Casablanca", "Metropolis", "Vertigo"];
const COLOURS = ["Red", "Green", "Blue"];

function Page() {
  const [film, setFilm] = useState<string | null>(null);
  const [watched, setWatched] = useState<string[]>(["Brazil"]);
  const [size, setSize] = useState("");
  const [colours, setColours] = useState<string[]>(["Red"]);
  const state = useMemo(() => ({ film, watched, size, colours }), [film, watched, size, colours]);
  return (
    <SavedForm state={state}>
      <Autocomplete
        options={FILMS}
        value={film}
        onChange={(_event, value) => setFilm(value)}
        renderInput={(props) => <TextField {...props} label="Film" />}
      />
      <Autocomplete
        multiple
        options={FILMS}
        value={watched}
        onChange={(_event, value) => setWatched(value)}
        renderInput={(props) => <TextField {...props} label="Watched" />}
      />
      <FormControl fullWidth>
        <InputLabel id="size">Size</InputLabel>
        <Select labelId="size" label="Size" value={size} onChange={(event) => setSize(event.target.value)}>
          <MenuItem value="s">Small</MenuItem>
          <MenuItem value="m">Medium</MenuItem>
          <MenuItem value="l">Large</MenuItem>
        </Select>
      </FormControl>
      <FormControl fullWidth>
        <InputLabel id="colours">Colours</InputLabel>
        <Select
          labelId="colours"
          label="Colours"
          multiple
          value={colours}
          renderValue={(values) => values.join(", ")}
          onChange={(event) => setColours([event.target.value].flat())}
        >
          {COLOURS.map((colour) => (
            <MenuItem key={colour} value={colour}>
              <Checkbox checked={colours.includes(colour)} />
              <ListItemText primary={colour} />
            </MenuItem>
          ))}
        </Select>
      </FormControl>
    </SavedForm>
  );
}

render(Page);
