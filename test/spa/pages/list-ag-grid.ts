import { AllCommunityModule, createGrid, ModuleRegistry } from "ag-grid-community";
import { root } from "./_page.ts";

ModuleRegistry.registerModules([AllCommunityModule]);

/** A grid that reuses its rows while it is scrolled. */
root().innerHTML = '<main><h1>Members</h1><div id="grid" style="height: 400px; width: 600px"></div></main>';
const response = await fetch("/members");
createGrid(document.getElementById("grid") as HTMLElement, {
  columnDefs: [
    { field: "name", headerName: "Name", width: 300 },
    { field: "city", headerName: "City", width: 200 },
  ],
  rowData: await response.json(),
  animateRows: false,
});
