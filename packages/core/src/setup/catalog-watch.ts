import type { Logger } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { CatalogComparisonBody, CompareCatalogRequest } from '../wire/catalog-comparison.ts';

/** How often the catalog is compared with lists of models, and with which. */
export interface CatalogWatchOptions {
  readonly everyMs: number;
  /** As the API takes it, or what reads it for each comparison. Default: every provider that lists its models. */
  readonly source?: CatalogSource | (() => Promise<CatalogSource>) | undefined;
}

type CatalogSource = Pick<CompareCatalogRequest, 'provider' | 'url' | 'document'>;

interface WatchParts extends CatalogWatchOptions {
  readonly platform: Pick<Platform, 'now' | 'setTimer' | 'isPerRequest'>;
  readonly logger: Logger;
  readonly store: Pick<Store, 'settings' | 'entries'>;
  readonly instanceId: () => string;
  readonly compare: (source: CompareCatalogRequest, signal: AbortSignal) => Promise<CatalogComparisonBody>;
}

/** Compares the catalog now and then, and stores what was found. Applies nothing. */
export interface CatalogWatch {
  start(): void;
  /** Resolves when no comparison is under way any more. */
  close(): Promise<void>;
}

/** A timer is not set for longer: changed clocks are noticed, and JavaScript's timers end at 24 days. */
const MAX_WAIT_MS = 60 * 60 * 1000;
const RETRY_MS = 15 * 60 * 1000;
/** Longer than another process takes to see what was stored. */
const CLAIM_MS = 10 * 60 * 1000;
const CLAIM = 'catalog-comparison';
/** The stored comparison is read with the settings: a list that differs in everything is a mistake. */
const MAX_STORED_CHANGES = 1000;
const MAX_STORED_NOTES = 200;

export function createCatalogWatch(parts: WatchParts): CatalogWatch {
  const { everyMs, platform, store, logger } = parts;
  const stop = new AbortController();
  let cancel = (): void => undefined;
  let comparing = Promise.resolve();

  const wait = (ms: number): void => {
    if (!stop.signal.aborted) cancel = platform.setTimer(look, Math.min(ms, MAX_WAIT_MS));
  };
  const look = (): void => {
    const { catalog } = store.settings.get();
    const dueInMs = catalog === undefined ? 0 : Date.parse(catalog.compared_at) + everyMs - platform.now();
    if (dueInMs > 0) return wait(dueInMs);
    comparing = compareOnce(parts, stop.signal).then(
      () => wait(Math.min(everyMs, CLAIM_MS)),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        logger.warn('the catalog could not be compared with lists of models', { reason: String(error) });
        wait(RETRY_MS);
      },
    );
  };

  return {
    start() {
      if (platform.isPerRequest !== true) look();
    },
    async close() {
      stop.abort();
      cancel();
      await comparing;
    },
  };
}

/** Compares, in the process that claims it first among those at one store. */
async function compareOnce(parts: WatchParts, signal: AbortSignal): Promise<void> {
  const { source = {}, everyMs, store, logger, instanceId } = parts;
  const { entries } = store;
  const id = instanceId();
  if ((await entries?.claim(CLAIM, id, Math.min(CLAIM_MS, everyMs / 2))) !== undefined) return;
  try {
    const list = typeof source === 'function' ? await source() : source;
    const { changes, notes, ...rest } = await parts.compare(list, signal);
    const catalog = { ...rest, changes: changes.slice(0, MAX_STORED_CHANGES), notes: notes.slice(0, MAX_STORED_NOTES) };
    await store.settings.update((settings) => ({ ...settings, catalog }));
    if (changes.length > 0) logger.info('lists of models differ from the catalog', { changes: changes.length });
  } catch (error) {
    await entries?.take(CLAIM, id);
    throw error;
  }
}
