import { useStore } from 'zustand';

import { showControls } from '../../../parts/text/show-controls.ts';
import type { ExperimentStore } from './experiment-store.ts';

/** Whether the experiment would be there after a reload, and what of it would not. */
export function SavingNote({ store }: { store: ExperimentStore }) {
  const saving = useStore(store.saving);
  if (saving === 'saving') return 'Keeping it in this browser…';
  if (saving === 'saved') return 'Kept in this browser.';
  if ('error' in saving) {
    return (
      <span role="alert" className="text-bad">
        This browser cannot keep it ({saving.error instanceof Error ? saving.error.message : String(saving.error)}).
        Save it as a file.
      </span>
    );
  }
  return (
    <span className="text-caution">
      Kept in this browser without what is too large: {showControls(saving.leftOut.join(', '))}.
    </span>
  );
}
