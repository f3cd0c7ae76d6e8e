import { useState } from 'react';

import type { Outcome } from '../../desktop-bridge.ts';
import { showToast } from './toast-store.ts';

/** Has the app do something and says what came of it. Resolves to whether it was done. */
export type Ask = (action: Promise<Outcome> | undefined, done?: string) => Promise<boolean>;

/** One thing at a time; `isBusy` while the app is at it. */
export function useOutcome(): { readonly ask: Ask; readonly isBusy: boolean } {
  const [isBusy, setIsBusy] = useState(false);
  const ask: Ask = async (action, done) => {
    if (action === undefined) return false;
    setIsBusy(true);
    try {
      const outcome = await action;
      // A dialog that was left with Cancel has nothing to say.
      const title = outcome.message || (outcome.done ? (done ?? '') : '');
      if (title !== '') showToast({ tone: outcome.done ? 'good' : 'neutral', title });
      return outcome.done;
    } catch (error) {
      showToast({ tone: 'bad', title: 'The app did not do that', detail: String(error) });
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { ask, isBusy };
}
