import { getPreferences, setPreferences } from '../../../app/preferences.ts';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { generationsMessages } from './messages.ts';

/** Largest number of ids that the gateway accepts at once. */
export const MAX_PINS = 50;

/** Pins a generation in this browser, or lets it go again; says which. */
export function togglePin(id: string): void {
  const t = generationsMessages().pins;
  const { pins } = getPreferences();
  const isPinned = pins.includes(id);
  if (!isPinned && pins.length >= MAX_PINS) return showToast({ tone: 'bad', title: t.tooMany(MAX_PINS) });
  setPreferences({ pins: isPinned ? pins.filter((other) => other !== id) : [...pins, id] });
  showToast({
    tone: 'neutral',
    title: isPinned ? t.unpinned : t.pinned,
    action: isPinned
      ? {
          label: t.undo,
          run: () => setPreferences({ pins: [...getPreferences().pins.filter((other) => other !== id), id] }),
        }
      : undefined,
  });
}
