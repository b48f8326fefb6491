import { Table } from "@mantine/core";
import type { Series } from "./series.ts";

interface SeriesTableProps {
  days: string[];
  series: Series[];
  caption: string;
}

/** The figures of the chart, newest day first; days without any are left out. */
export function SeriesTable({ days, series, caption }: SeriesTableProps) {
  const used = days
    .map((day, index) => ({ day, index }))
    .filter(({ index }) => series.some(({ values }) => (values[index] ?? 0) > 0));
  return (
    <Table.ScrollContainer
      minWidth={120 + series.length * 110}
      maxHeight={300}
      type="native"
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <Table verticalSpacing={6} stickyHeader>
        <caption className="visually-hidden">{caption}</caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Day</Table.Th>
            {series.map(({ id, name }) => (
              <Table.Th key={id} scope="col" ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {used.reverse().map(({ day, index }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={400}>
                {day}
              </Table.Th>
              {series.map(({ id, values }) => (
                <Table.Td key={id} ta="right" className="figures">
                  {(values[index] ?? 0).toLocaleString("en")}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
