import type { Key } from '../../api/types.ts';

/** The key that every signed-in browser may call as. */
export const PLAYGROUND_KEY_NAME = 'Playground';

/** Keys that models can be called with now. */
export const findUsableKeys = (keys: readonly Key[]): readonly Key[] =>
  keys.filter(
    ({ management, disabled, expires_at: end }) =>
      !management && !disabled && (end === null || Date.parse(end) > Date.now()),
  );
