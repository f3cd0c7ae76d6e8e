import type { Awaitable } from '../foundation/awaitable.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { Logger } from '../foundation/host.ts';
import { createTurns } from '../foundation/queues.ts';
import type { Provider } from '../providers/provider.ts';
import type { ProviderRecord, Store } from '../stores/store.ts';
import type { ModelDefinition } from '../wire/model-definition.ts';
import type { ComposedSetup, StoredSetup } from './compose-setup.ts';
import type { SetupHost } from './setup-host.ts';

/** A change of what is stored. */
export interface SetupChange {
  /** What is stored after it. */
  readonly stored: StoredSetup;
  /** Objects to what came of it, by throwing. Nothing is changed then. */
  readonly check?: (composed: ComposedSetup) => void;
  /** Makes it durable. Nothing is changed when it rejects. */
  readonly write: () => Promise<unknown>;
  readonly forget?: Outdated | undefined;
}

/** The providers and models in force: those of the configuration with those that were set up through the API. */
export interface LiveSetup {
  readonly host: SetupHost;
  /** Written to within changes alone. */
  readonly rows: Pick<Store, 'providers' | 'models'>;
  /**
   * Puts what is stored into force, beside the configuration or what takes its place from now on. Before it, and where
   * nothing is stored, the configuration alone is in force. Rejects, and changes nothing, when it cannot be.
   */
  load(base?: InForce): Promise<void>;
  /** Puts into force what another process has stored since `load`. What cannot be is reported to the logger. */
  refresh(): Promise<void>;
  /** Resolves when nothing is being put into force. */
  settled(): Promise<void>;
  stored(): Promise<StoredSetup>;
  /** The provider of this slug with another key, which its caller pays; null where it takes none. */
  connectWithKey(slug: string, apiKey: string): Promise<KeyedProvider | null>;
  /** What became of what is stored. */
  composed(): ComposedSetup | undefined;
  /** Makes one change after the other, each on what is stored by then, and resolves when it is in force and durable. */
  change(plan: (stored: StoredSetup) => Awaitable<SetupChange>): Promise<void>;
}

/** A provider with a key of a caller. */
interface KeyedProvider {
  readonly provider: Provider;
  /** The origin that the key is sent to, or the package that gets it. */
  readonly server: string;
}

const toServer = (address: string): string => URL.parse(address)?.origin ?? address;

export interface LiveSetupOptions {
  readonly host: SetupHost;
  readonly store: Pick<Store, 'providers' | 'models'>;
  readonly logger: Logger;
  /** The setup of the configuration alone. */
  readonly base: InForce;
  /**
   * Puts these into force, and forgets what became of the calls to a provider before. Throws `RangeError`, and changes
   * nothing else, when they cannot be.
   */
  readonly configure: (setup: InForce, forget?: readonly Outdated[]) => void;
  /** Lists the models of providers again. */
  readonly discover: () => Promise<void>;
}

interface InForce {
  readonly providers: readonly Provider[];
  readonly models?: readonly ModelDefinition[] | undefined;
}

const toInForce = ({ providers, models }: InForce): InForce => ({ providers, models });

/** Creates the setup, which is the configuration's until `load`. */
export function createLiveSetup(options: LiveSetupOptions): LiveSetup {
  const { host, store, logger, configure, discover } = options;
  let base = options.base;
  const connected = new WeakMap<ProviderRecord, Provider>();
  let composed: ComposedSetup | undefined;
  /** The rows that `composed` was made of; undefined before `load`. */
  let loaded: StoredSetup | undefined;
  const inTurn = createTurns();
  const stored = createStoredReader(store);
  // Loaded when something is stored, so that a gateway starts without it.
  const compose = async (present: StoredSetup, { providers } = base): Promise<ComposedSetup> =>
    (await import('./compose-setup.ts')).composeSetup(present, { host, providers, connected });

  const make = async (plan: Parameters<LiveSetup['change']>[0]): Promise<void> => {
    const { stored: next, check, write, forget } = await plan(await stored());
    const made = await compose(next);
    check?.(made);
    const before = composed;
    const outdated = forget && [forget];
    refuseUnfit(() => configure(toInForce(made), outdated));
    try {
      await write();
    } catch (error) {
      configure(toInForce(before ?? base), outdated);
      throw error;
    }
    composed = made;
    loaded &&= next;
  };

  const refresh = async (): Promise<boolean> => {
    const present = await stored();
    if (loaded === undefined || areSame(present, loaded)) return false;
    const made = await compose(present);
    configure(toInForce(made), findOutdated(loaded.providers, present.providers));
    report(made, logger);
    composed = made;
    loaded = present;
    return true;
  };

  return {
    host,
    rows: store,
    settled: () => inTurn(() => undefined),
    stored,
    composed: () => composed,
    async connectWithKey(slug, apiKey) {
      const configured = host.configured.providers.find((provider) => provider.slug === slug);
      if (configured !== undefined) {
        const provider = await host.connectWithKey(slug, apiKey);
        return provider && { provider, server: toServer(configured.address) };
      }
      const row = (await stored()).providers.find(({ id }) => id === slug);
      if (row === undefined) return null;
      const { openProviderRow } = await import('./provider-rows.ts');
      const opened = await openProviderRow(row, host);
      if (opened.status !== 'ready') return null;
      const settings = { ...opened.settings, apiKey, apiKeys: undefined, byok: true };
      return { provider: await host.connect(settings), server: toServer(host.describe(settings)?.address ?? '') };
    },
    load: (next) =>
      inTurn(async () => {
        const present = await stored();
        const isNone = present.providers.length === 0 && present.models.length === 0;
        const made = isNone ? undefined : await compose(present, next);
        if (made !== undefined) report(made, logger);
        // What else the configuration sets comes into force with it.
        if (made !== undefined || next !== undefined) configure({ ...next, ...toInForce(made ?? next ?? base) });
        composed = made;
        loaded = present;
        base = next ?? base;
      }),
    async refresh() {
      try {
        if (await inTurn(refresh)) await discover();
      } catch (error) {
        logger.error('changes to the set-up by another process could not be applied', { reason: String(error) });
      }
    },
    async change(plan) {
      await inTurn(() => make(plan));
      await discover();
    },
  };
}

function refuseUnfit(configure: () => void): void {
  try {
    configure();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new GatewayError('invalid_request', `This cannot be applied: ${error.message}`, { cause: error });
  }
}

/** Tells the operator of everything stored that is not in force though it should be. */
function report({ providerStates, modelStates }: ComposedSetup, logger: Logger): void {
  for (const [slug, { status, problem }] of providerStates) {
    if (problem !== null) logger.warn('a stored provider is left out', { provider: slug, status, reason: problem });
  }
  for (const [id, { status, problem }] of modelStates) {
    if (problem !== null) logger.warn('a stored model is left out', { model: id, status, reason: problem });
  }
}

/** Throws `conflict` where nothing can be set up through the API. */
export function requireLiveSetup(setup: LiveSetup | undefined): LiveSetup {
  if (setup !== undefined) return setup;
  throw new GatewayError(
    'conflict',
    'Nothing can be set up here: the demo replays recordings (serve --no-demo starts without it), and an application ' +
      'that embeds the gateway brings its own providers',
  );
}

/** What was learnt of a provider and no longer holds. */
export interface Outdated {
  readonly provider: string;
  /** Whether another server is asked from now on, so that the list of models does not hold either. */
  readonly isMoved: boolean;
}

/** Settings of a provider by which another server is called. */
export const SERVER_FIELDS = ['preset', 'wire', 'baseUrl', 'query'] as const;

/**
 * Creates a reader of what is stored. A row that says the same as before is the same object, because what was made of a
 * row is known by it, and a shared store may read all rows again.
 */
function createStoredReader(store: Pick<Store, 'providers' | 'models'>): () => Promise<StoredSetup> {
  let known = new Map<string, object>();
  return async () => {
    const kept = new Map<string, object>();
    const keep = <Row extends object>(row: Row): Row => {
      const text = JSON.stringify(row);
      const same = known.get(text) ?? row;
      kept.set(text, same);
      return same as Row;
    };
    const [providers, models] = [await store.providers.list(), await store.models.list()];
    const rows = { providers: providers.map(keep), models: models.map(keep) };
    known = kept;
    return rows;
  };
}

function areSame(one: StoredSetup, other: StoredSetup): boolean {
  return JSON.stringify([one.providers, one.models]) === JSON.stringify([other.providers, other.models]);
}

/** What was learnt of providers that have changed, or have gone. */
function findOutdated(before: readonly ProviderRecord[], after: readonly ProviderRecord[]): Outdated[] {
  return before.flatMap((row) => {
    const next = after.find(({ id }) => id === row.id);
    const isMoved =
      next === undefined || SERVER_FIELDS.some((field) => differs(row.settings[field], next.settings[field]));
    return isMoved || row.sealed !== next.sealed ? [{ provider: row.id, isMoved }] : [];
  });
}

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
