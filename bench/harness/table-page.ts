/** A page with a large table of orders, with controls in every row. */
export function writeTablePage(rows: number): string {
  const cells = (row: number) =>
    `<td><input type="checkbox" aria-label="Choose ${row}"></td><td><a href="/orders/${row}">Order ${row}</a></td>
     <td>customer-${row}@example.com</td><td>€${(row * 7.35).toFixed(2)}</td><td><button>Refund ${row}</button></td>`;
  const body = Array.from({ length: rows }, (_, row) => `<tr>${cells(row + 1)}</tr>`).join("");
  return `<title>Orders</title><h1>Orders</h1><table><tr><th></th><th>Order</th><th>Customer</th><th>Total</th><th></th></tr>${body}</table>`;
}

/** A page with a long form, of which every field has its label before it. */
export function writeFormPage(fields: number): string {
  const field = (at: number) => `<p>Amount ${at} <input name="amount-${at}" value="${at}"></p>`;
  const body = Array.from({ length: fields }, (_, at) => field(at + 1)).join("");
  return `<title>Amounts</title><h1>Amounts</h1><form>${body}<button>Save</button></form>`;
}
