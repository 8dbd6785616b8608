import { html, type Html } from './html.ts';

/**
 * A table with headers. On narrow screens each row becomes a block (src/page/style.ts), which would hide the table from
 * screen readers; the roles bring it back. The first cell of each row is its header.
 */
export function table(name: string, columns: readonly string[], rows: readonly (readonly Html[])[]): Html {
  const head = columns.map((column) => html`<th scope="col" role="columnheader">${column}</th>`);
  const body = rows.map(
    (cells) =>
      html`<tr role="row">
        ${cells.map((cell, at) => cellOf(cell, at, columns))}
      </tr> `,
  );
  return html`<table role="table" aria-label="${name}">
    <thead role="rowgroup">
      <tr role="row">
        ${head}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${body}
    </tbody>
  </table>`;
}

function cellOf(cell: Html, at: number, columns: readonly string[]): Html {
  const column = columns[at] ?? '';
  return at === 0
    ? html`<th scope="row" role="rowheader" data-column="${column}"><div>${cell}</div></th>`
    : html`<td role="cell" data-column="${column}"><div>${cell}</div></td>`;
}
