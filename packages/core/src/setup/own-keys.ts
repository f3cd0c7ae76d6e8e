import { type OwnKey, toFeeMillionths } from '../catalog/own-keys.ts';
import { type Awaitable, whenKnown } from '../foundation/awaitable.ts';
import { messageOf } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import type { Provider } from '../providers/provider.ts';
import { byokContextOf } from '../stores/sealed-contexts.ts';
import type { Store } from '../stores/store.ts';
import type { ByokKeyRecord } from '../wire/byok.ts';
import type { LiveSetup } from './live-setup.ts';

/** Whose call it is. */
interface KeyUser {
  readonly workspaceId: string;
  /** Hash of the API key. */
  readonly keyHash: string;
  readonly userId: string | undefined;
}

/** The keys of workspaces, opened for their calls. */
export interface OwnKeys {
  /** Those that a caller may use; undefined for none. Synchronous where nothing is stored, or all of them are open. */
  of(user: KeyUser): Awaitable<readonly OwnKey[] | undefined>;
  /**
   * The provider with one of them, for a job that it has made, whoever may use it by now. Null where it cannot be used,
   * undefined where it was deleted.
   */
  providerOf(id: string): Promise<Provider | null | undefined>;
}

interface OwnKeysOptions {
  readonly store: Pick<Store, 'byokKeys'>;
  /** Undefined where nothing is stored through the API. */
  readonly liveSetup: LiveSetup | undefined;
  /** Makes the time limits of a provider hold. */
  readonly keepLimits: (provider: Provider) => Provider;
  readonly logger: Logger;
  /** The share of a provider's bill that a call with such a key costs the account, from 0 to 1. Default: 0. */
  readonly feeShare?: number | undefined;
}

interface Opened {
  readonly sealed: string;
  readonly provider: Promise<Provider | null>;
  /** Undefined until it is known. */
  known?: Provider | null;
}

/**
 * Creates the look-up for one setup: its providers are made once for each key, and made again by the next setup. A key
 * that cannot be used is reported once, and left out. Throws `RangeError` for a share that is none.
 */
export function createOwnKeys({ store, liveSetup, keepLimits, logger, feeShare = 0 }: OwnKeysOptions): OwnKeys {
  const opened = new Map<string, Opened>();
  const feeMillionths = toFeeMillionths(feeShare) || undefined;

  const connect = async (row: ByokKeyRecord, setup: LiveSetup): Promise<Provider | null> => {
    try {
      const key = await setup.host.secrets.open(row.sealed, byokContextOf(row.id));
      const keyed = await setup.connectWithKey(row.provider, key);
      if (keyed === null) throw new Error(`no provider "${row.provider}" takes a key of its own here`);
      if (keyed.server !== row.server) throw new Error(`"${row.provider}" is another server now: give the key again`);
      return keepLimits(keyed.provider);
    } catch (error) {
      logger.warn('a stored key of a workspace is left out', { byok: row.id, reason: messageOf(error) });
      return null;
    }
  };
  const open = (row: ByokKeyRecord, setup: LiveSetup): Opened => {
    const present = opened.get(row.id);
    if (present?.sealed === row.sealed) return present;
    const provider = connect(row, setup);
    const made: Opened = { sealed: row.sealed, provider };
    void provider.then((known) => (made.known = known));
    opened.set(row.id, made);
    return made;
  };
  const openAll = (
    rows: readonly ByokKeyRecord[],
    user: KeyUser,
    setup: LiveSetup,
  ): Awaitable<readonly OwnKey[] | undefined> => {
    const usable = rows.filter((row) => mayUse(row, user));
    if (usable.length === 0) return undefined;
    if (opened.size > rows.length) forgetRemoved(rows);
    const all = usable.map((row) => ({ key: row, opened: open(row, setup) }));
    if (all.every((one) => one.opened.known !== undefined)) {
      return all.map((one) => ({ key: one.key, provider: one.opened.known ?? null, feeMillionths }));
    }
    return Promise.all(all.map(async (one) => ({ key: one.key, provider: await one.opened.provider, feeMillionths })));
  };
  const forgetRemoved = (rows: readonly ByokKeyRecord[]): void => {
    const present = new Set(rows.map(({ id }) => id));
    for (const id of opened.keys()) if (!present.has(id)) opened.delete(id);
  };

  return {
    of(user) {
      if (liveSetup === undefined) return undefined;
      return whenKnown(store.byokKeys.list(), (rows) =>
        rows.length === 0 ? undefined : openAll(rows, user, liveSetup),
      );
    },
    async providerOf(id) {
      const row = await store.byokKeys.get(id);
      if (row === undefined) return undefined;
      return liveSetup === undefined ? null : open(row, liveSetup).provider;
    },
  };
}

function mayUse(row: ByokKeyRecord, { workspaceId, keyHash, userId }: KeyUser): boolean {
  const { disabled, workspace_id: workspace, allowed_api_key_hashes: hashes, allowed_user_ids: users } = row;
  if (disabled || workspace !== workspaceId) return false;
  return (hashes?.includes(keyHash) ?? true) && (users === null || (userId !== undefined && users.includes(userId)));
}
