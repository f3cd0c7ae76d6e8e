import { useNavigate } from '@tanstack/react-router';

import { type SavedView, setPreferences } from '../../../app/preferences.ts';
import { toGenerationSearch } from './generation-search.ts';

/** Returns a function that shows a saved view: its filters in the address, its columns in the list. */
export function useOpenView(): (view: SavedView) => void {
  const navigate = useNavigate();
  return ({ search, hiddenColumns }) => {
    setPreferences({ hiddenColumns });
    void navigate({ to: '/generations', search: toGenerationSearch(search) });
  };
}
