import type { Health, Trouble } from '@model-gateway/core/wire';

const STORE_TROUBLES: Partial<Record<Trouble, string>> = {
  store_away: 'The database is away.',
  store_not_ready: 'The gateway is not ready.',
};

/** Why nothing can be read or changed now, in a sentence; undefined where the store can be reached. */
export const toStoreTrouble = (health: Health | undefined): string | undefined =>
  health?.trouble === undefined ? undefined : STORE_TROUBLES[health.trouble];
