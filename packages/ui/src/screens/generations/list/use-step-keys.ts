import { useShortcut } from '../../../app/shortcuts.ts';
import type { ListRow } from '../../../features/generations/list/list-row.ts';

interface StepKeys {
  readonly rows: readonly ListRow[];
  readonly openId: string | undefined;
  readonly open: (row: ListRow) => void;
  /** Called at the last of the rows that are loaded. */
  readonly onEnd: () => void;
}

/** Lets j and k go through the list while the focus is in the open generation. */
export function useStepKeys({ rows, openId, open, onEnd }: StepKeys): void {
  const at = openId === undefined ? -1 : rows.findIndex(({ id }) => id === openId);
  const step = (by: number) => () => {
    const row = rows[at + by];
    if (row !== undefined) open(row);
    if (at + by >= rows.length - 1) onEnd();
  };
  useShortcut({ keys: 'j', label: 'Next row', group: 'In the open generation' }, step(1), at >= 0);
  useShortcut({ keys: 'k', label: 'Row before', group: 'In the open generation' }, step(-1), at >= 0);
}
