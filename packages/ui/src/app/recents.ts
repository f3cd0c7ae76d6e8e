import { useEffect } from 'react';

import { getPreferences, setPreferences } from './preferences.ts';

const KEPT = 8;

/** Paths with the one that was opened last in front. Of what a path shows nothing is kept, as it may be confidential. */
export const toRecents = (recents: readonly string[], path: string): string[] =>
  [path, ...recents.filter((other) => other !== path)].slice(0, KEPT);

/** Keeps the paths of the screens and things that were opened last, for the commands. */
export function useRecents(path: string): void {
  useEffect(() => {
    const { recents } = getPreferences();
    if (recents[0] !== path) setPreferences({ recents: toRecents(recents, path) });
  }, [path]);
}
