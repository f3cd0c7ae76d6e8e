import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';

import type { GenerationContent } from '../../api/types.ts';
import type { ListRow } from './list-row.ts';
import { callApi } from '../../api/call-api.ts';
import { copyText } from '../../parts/copy-button.tsx';
import { showToast } from '../../parts/toast-store.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import type { ChangeSearch } from './filter-bar.tsx';
import { togglePin } from './pins.ts';
import { toCurl } from './to-curl.ts';

const GROUP = 'On a row of the list';
const nothing = (): undefined => undefined;

/** What keys do to the row at the cursor of the list; true when one did something. */
export function useRowKeys(compare: string | undefined, change: ChangeSearch): (key: string, row: ListRow) => boolean {
  const navigate = useNavigate();
  // Listed for the help only: the table itself takes these keys, because it knows the row.
  useShortcut({ keys: 'x', label: 'Select; two are compared', group: GROUP }, nothing);
  useShortcut({ keys: 'p', label: 'Pin, or unpin', group: GROUP }, nothing);
  useShortcut({ keys: 'c', label: 'Copy the id', group: GROUP }, nothing);
  useShortcut({ keys: 'Shift+C', label: 'Copy as curl', group: GROUP }, nothing);
  useShortcut({ keys: 'r', label: 'Send again from the playground', group: GROUP }, nothing);
  return useCallback(
    (key, row) => {
      switch (key) {
        case 'x':
          change({ compare: toSelection(compare, row.id) });
          showToast({
            tone: 'neutral',
            title: compare === undefined ? 'Selected; press x on another to compare' : 'Selected',
          });
          return true;
        case 'p':
          togglePin(row.id);
          return true;
        case 'c':
          void copyText(row.id, 'Copied the id');
          return true;
        case 'C':
          void copyAsCurl(row);
          return true;
        case 'r':
          void navigate({ to: '/playground', search: { from: row.id } });
          return true;
        default:
          return false;
      }
    },
    [compare, change, navigate],
  );
}

function toSelection(compare: string | undefined, id: string): string | undefined {
  const ids = compare?.split(',') ?? [];
  const next = ids.includes(id) ? ids.filter((other) => other !== id) : [...ids.slice(-1), id];
  return next.length === 0 ? undefined : next.join(',');
}

async function copyAsCurl({ id, model, streamed }: ListRow): Promise<void> {
  try {
    const { data } = await callApi<{ data: GenerationContent }>('/api/v1/generation/content', { query: { id } });
    await copyText(toCurl({ model, streamed, content: data }), 'Copied as curl');
  } catch {
    showToast({ tone: 'bad', title: 'Its prompt was not stored, so there is nothing to copy' });
  }
}
