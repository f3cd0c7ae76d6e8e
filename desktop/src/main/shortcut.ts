import { globalShortcut } from 'electron';

/** The keys that open the quick panel from every program. */
export interface Shortcut {
  /** Takes these keys instead of those before; none for an empty text. False, and no change, where they cannot be had. */
  use(keys: string): boolean;
}

export function createShortcut(onPressed: () => void): Shortcut {
  let current = '';
  const register = (keys: string): boolean => {
    try {
      return globalShortcut.register(keys, onPressed);
    } catch {
      // Keys that this system does not know.
      return false;
    }
  };
  return {
    use(keys) {
      if (keys === current) return true;
      if (keys !== '' && !register(keys)) return false;
      if (current !== '') globalShortcut.unregister(current);
      current = keys;
      return true;
    },
  };
}
