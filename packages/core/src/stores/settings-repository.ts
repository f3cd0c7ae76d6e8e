import type { SettingsChange } from '../wire/account.ts';

/** Settings of the account that were set through the API, not by configuration. Durable like a `Repository`. */
export interface SettingsRepository {
  /** Synchronous, and the same object until a change: every request reads it. A shared store keeps a copy. */
  get(): SettingsChange;
  update(change: (settings: SettingsChange) => SettingsChange): Promise<SettingsChange>;
}
