type Value = number | string | null;

/** Rows in the order of a value; where that is not known, a row stands last, whichever way round. */
export function sortRows<Row>(rows: readonly Row[], read: (row: Row) => Value, order: 'asc' | 'desc'): readonly Row[] {
  const turn = order === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [one, other] = [read(a), read(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'string' || typeof other === 'string') return String(one).localeCompare(String(other)) * turn;
    return (one - other) * turn;
  });
}
