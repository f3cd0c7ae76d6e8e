import { useNavigate } from '@tanstack/react-router';

import { callApi } from '../../../api/call-api.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { GenerationContent } from '../../../api/types.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { requestQuery } from '../../../features/generations/content/request-query.ts';
import type { ListRow } from '../../../features/generations/list/list-row.ts';
import { toCurl } from '../../../features/generations/to-curl.ts';
import { copyText } from '../../../parts/controls/copy-button.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import type { ChangeSearch } from '../search/filter-bar.tsx';
import { generationsMessages } from './messages.ts';
import { togglePin } from './pins.ts';

/** What the keys need of a row. */
type KeyedRow = Pick<ListRow, 'id' | 'model' | 'streamed' | 'api_type'>;

interface RowKeys {
  readonly compare: string | undefined;
  /** Beside the list, where the keys do the same wherever the focus is. */
  readonly opened: KeyedRow | undefined;
  readonly change: ChangeSearch;
}

/** Key handler for the row at the cursor of the list; true when a key had an effect. */
export function useRowKeys({ compare, opened, change }: RowKeys): (key: string, row: KeyedRow) => boolean {
  const t = generationsMessages().keys;
  const navigate = useNavigate();
  const onKey = (key: string, row: KeyedRow): boolean => {
    switch (key) {
      case 'x':
        change({ compare: toSelection(compare, row.id) });
        showToast({
          tone: 'neutral',
          title: compare === undefined ? t.selectedFirst : t.selected,
        });
        return true;
      case 'p':
        togglePin(row.id);
        return true;
      case 'c':
        void copyText(row.id, generationsMessages().copiedId);
        return true;
      case 'C':
        if (row.api_type === 'completions') void copyAsCurl(row);
        else showToast({ tone: 'neutral', title: t.noChat });
        return true;
      case 'r':
        if (row.api_type === 'completions') void navigate({ to: '/playground', search: { from: row.id } });
        else showToast({ tone: 'neutral', title: t.noChat });
        return true;
      default:
        return false;
    }
  };
  // The table itself takes these keys while it has the focus, because it knows the row.
  const onOpened = (key: string) => () => void (opened !== undefined && onKey(key, opened));
  useShortcut({ keys: 'x', label: t.select, group: t.group }, onOpened('x'));
  useShortcut({ keys: 'p', label: t.pin, group: t.group }, onOpened('p'));
  useShortcut({ keys: 'c', label: t.copyId, group: t.group }, onOpened('c'));
  useShortcut({ keys: 'Shift+C', label: t.copyCurl, group: t.group }, onOpened('C'));
  useShortcut({ keys: 'r', label: t.resend, group: t.group }, onOpened('r'));
  return onKey;
}

/** The ids with this one among them, or without it where it was; of two others the first makes room. */
export function toSelection(compare: string | undefined, id: string): string | undefined {
  const ids = compare?.split(',') ?? [];
  const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids.slice(-1), id];
  return next.length === 0 ? undefined : next.join(',');
}

async function copyAsCurl({ id, model, streamed }: KeyedRow): Promise<void> {
  const t = generationsMessages().keys;
  try {
    const [{ data: content }, request] = await Promise.all([
      callApi<{ data: GenerationContent }>('/api/v1/generation/content', { query: { id } }),
      queryClient.fetchQuery(requestQuery(id)),
    ]);
    await copyText(toCurl({ model, streamed, content, request }), t.copiedCurl);
  } catch {
    showToast({ tone: 'bad', title: t.nothingToCopy });
  }
}

interface StepKeys {
  readonly rows: readonly ListRow[];
  readonly openId: string | undefined;
  readonly open: (row: ListRow) => void;
  /** Called at the last of the rows that are loaded. */
  readonly onEnd: () => void;
}

/** Lets j and k go through the list while the focus is in the open generation. */
export function useStepKeys({ rows, openId, open, onEnd }: StepKeys): void {
  const t = generationsMessages().keys;
  const at = openId === undefined ? -1 : rows.findIndex(({ id }) => id === openId);
  const step = (by: number) => () => {
    const row = rows[at + by];
    if (row !== undefined) open(row);
    if (at + by >= rows.length - 1) onEnd();
  };
  useShortcut({ keys: 'j', label: t.next, group: t.openGroup }, step(1), at >= 0);
  useShortcut({ keys: 'k', label: t.previous, group: t.openGroup }, step(-1), at >= 0);
}
