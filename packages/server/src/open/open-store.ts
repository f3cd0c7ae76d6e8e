import type { Logger, Store } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createJsonFileStore, type GatewayConfig } from '@model-gateway/node';

import { ALONE, type WorkerPlace } from '../process/worker-place.ts';

interface OpenStoreOptions {
  /** Whether the operator trusts the clock of this machine. */
  readonly trustsClock?: boolean | undefined;
  /** The worker that opens it, of those that share out the connections. Default: the only one. */
  readonly place?: WorkerPlace | undefined;
}

/** Opens the store of a configuration. The caller closes it. */
export async function openStore(
  config: GatewayConfig,
  logger: Logger,
  { trustsClock = false, place = ALONE }: OpenStoreOptions = {},
): Promise<Store> {
  const { store } = config;
  const { retentionDays, maxGenerations } = config.logging;
  const { retentionDays: auditRetentionDays } = config.audit;
  switch (store.type) {
    case 'memory':
      return createMemoryStore();
    case 'json':
      return createJsonFileStore({
        dir: store.dir,
        logger,
        retentionDays,
        maxGenerations,
        auditRetentionDays,
        trustsClock,
      });
    case 'postgres': {
      // Loaded late, because other stores do without.
      const { openDatabaseStore } = await import('./open-database.ts');
      return openDatabaseStore({ store, shared: config.shared, retentionDays, auditRetentionDays, logger, place });
    }
    case 'module': {
      const { createModuleStore, toModuleContext } = await import('./load-modules.ts');
      const slug = 'store';
      const module = { slug, module: store.module, options: store.options, place: 'store.module' };
      return createModuleStore(module, { ...toModuleContext(slug, logger), retentionDays, maxGenerations });
    }
  }
}

/** Where a store is, for logs and people: without user and password. */
export function describePlace({ store }: GatewayConfig): string {
  switch (store.type) {
    case 'memory':
      return 'memory, lost when this process ends';
    case 'json':
      return store.dir;
    case 'postgres':
      return describeAddress(store.url);
    case 'module':
      return store.module;
  }
}

/** The address of a database without user, password and options. */
export const describeAddress = (url: string): string =>
  `postgres://${url.replace(/^\w+:\/\/([^/?#]*@)?/, '').replace(/[?#].*$/, '')}`;

const LOOK_AT_READINESS_MS = 100;

/** Whether the store can be read. */
export const isReady = ({ readiness }: Pick<Store, 'readiness'>): boolean => readiness?.().isReady !== false;

/** Calls back once, when the store can be read: at once where it can already. Returns what cancels it. */
export function whenReady(store: Pick<Store, 'readiness'>, begin: () => void): () => void {
  if (isReady(store)) {
    begin();
    return () => undefined;
  }
  const timer = setInterval(() => {
    if (!isReady(store)) return;
    clearInterval(timer);
    begin();
  }, LOOK_AT_READINESS_MS);
  timer.unref();
  return () => clearInterval(timer);
}
