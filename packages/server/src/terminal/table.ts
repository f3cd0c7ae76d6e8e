/** Lines of cells under a head, in columns as wide as they need to be. Numbers stand at the right of their column. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const isNumeric = head.map((_, column) => rows.length > 0 && rows.every((row) => NUMBER.test(row[column] ?? '')));
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          isNumeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Also amounts, times and the dash for none. */
const NUMBER = /^(-|none|free|unknown|\$?[\d.,]+( (ms|s|%))?)$/;

/** Small amounts need their digits. */
export const toUsd = (usd: number | null): string =>
  usd === null ? 'unknown' : `$${usd === 0 || usd >= 0.1 ? usd.toFixed(2) : usd.toPrecision(2)}`;

export const toSeconds = (ms: number | null): string => (ms === null ? '-' : `${(ms / 1000).toFixed(2)} s`);
