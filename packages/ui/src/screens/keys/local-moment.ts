/** A moment as a field for date and time has it, on the user's clock: `2026-03-01T10:00`; empty for none. */
export function toLocalMoment(iso: string | null): string {
  if (iso === null) return '';
  const at = new Date(iso);
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** The same for the gateway; null for none. */
export const fromLocalMoment = (local: string): string | null => (local === '' ? null : new Date(local).toISOString());
