import { z } from 'zod';

import type { AuthenticateCaller } from '../auth/authenticate.ts';
import type { Broadcaster } from '../broadcast/broadcaster.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { OpenCalls, Closing } from '../dispatch/open-calls.ts';
import type { CallCounters } from '../dispatch/recorder.ts';
import { type ErrorCode, GatewayError } from '../foundation/errors.ts';
import type { Engine, InstanceFacts, MetricsOptions } from '../foundation/host.ts';
import type { Platform } from '../foundation/platform.ts';
import type { CacheExaminer } from '../generations/cache-doctor/cache-examiner.ts';
import type { CallFigures } from '../generations/call-figures.ts';
import type { GenerationFeed } from '../generations/feed.ts';
import { operation, publicOperation } from '../http/operation.ts';
import { toJsonResponse } from '../http/response.ts';
import type { Ledger } from '../limits/ledger.ts';
import type { HealthBoard } from '../routing/health/endpoint-health.ts';
import type { Store } from '../stores/store.ts';
import { healthSchema, type Instance, instanceSchema, readinessSchema, type Trouble } from '../wire/instance.ts';

/** Requests of every kind since the start. */
export interface RequestCounters {
  requests: number;
  /** Responses by HTTP status. */
  readonly statuses: Map<number, number>;
  /** Requests refused before anything was recorded, by the code of the error. */
  readonly refusals: Map<ErrorCode, number>;
}

export interface SystemParts {
  readonly authenticate: AuthenticateCaller;
  readonly store: Pick<Store, 'engine' | 'figures' | 'readiness' | 'retention' | 'videoJobs'>;
  readonly closing: Pick<Closing, 'hasBegun'>;
  /** Health of what processes share beside the store. */
  readonly shared: { readonly engine?: Engine | undefined } | undefined;
  /** What the host reports about its process. */
  readonly instance: InstanceFacts | undefined;
  /** Random text that identifies this gateway. */
  readonly instanceId: () => string;
  readonly metrics: MetricsOptions | undefined;
  readonly platform: Pick<Platform, 'setTimer' | 'sha256'>;
  readonly catalog: Catalog;
  readonly health: HealthBoard;
  readonly ledger: Ledger;
  readonly broadcaster: Broadcaster;
  readonly generationFeed: GenerationFeed;
  readonly openCalls: OpenCalls;
  readonly callFigures: CallFigures;
  /** Null where calls are not examined. */
  readonly cacheExaminer: CacheExaminer | null;
  /** Counters that only rise. */
  readonly counters: RequestCounters & CallCounters;
  /** The OpenAPI document without `servers`; made at the first request for it, and then reused. */
  readonly describeApi: () => Promise<Readonly<Record<string, unknown>>>;
}

/** What is wrong with this process, the worst first, and why; null when nothing is. */
function findTrouble({
  closing,
  counters,
  shared,
  store,
}: Pick<SystemParts, 'closing' | 'counters' | 'shared' | 'store'>): {
  readonly trouble: Trouble;
  readonly reason: string;
} | null {
  if (closing.hasBegun()) return { trouble: 'closing', reason: 'It ends once its open calls have ended' };
  const readiness = store.readiness?.();
  if (readiness?.isReady === false) return { trouble: 'store_not_ready', reason: readiness.reason };
  const storeOutage = store.engine?.outage?.() ?? null;
  if (storeOutage !== null) return { trouble: 'store_away', reason: storeOutage };
  const sharedOutage = shared?.engine?.outage?.() ?? null;
  if (sharedOutage !== null) return { trouble: 'shared_away', reason: sharedOutage };
  const { recordFailures: count } = counters;
  if (count === 0) return null;
  return { trouble: 'unrecorded', reason: `Generations that could not be recorded since the start: ${count}` };
}

/** `GET /health`: the process responds. `degraded` means that some generations could not be recorded since the start. */
export const getHealth = publicOperation<SystemParts>()({
  response: healthSchema,
  run({ parts }) {
    const found = findTrouble(parts);
    const status = parts.counters.recordFailures === 0 ? 'ok' : 'degraded';
    // Every client may ask; the reason is for management alone.
    return found === null ? { status } : { status, trouble: found.trouble };
  },
});

const ASK_AGAIN_AFTER_SECONDS = 1;

/** `GET /ready`: new calls are taken. While the gateway closes, every response is a 503 already. */
export const getReady = publicOperation<SystemParts>()({
  response: readinessSchema,
  run({ parts: { store } }) {
    const readiness = store.readiness?.();
    if (readiness?.isReady === false) {
      throw new GatewayError('provider_overloaded', `The gateway is not ready: ${readiness.reason}`, {
        retryAfterSeconds: ASK_AGAIN_AFTER_SECONDS,
      });
    }
    return { status: 'ready' };
  },
});

/** `GET /admin/v1/instance`: which process of the gateway responds, its health and its storage. */
export const getInstance = operation<SystemParts>()({
  response: instanceSchema,
  run({ parts }) {
    const { instance: { version, host, processId, worker } = {}, shared, store } = parts;
    const found = findTrouble(parts);
    return {
      data: {
        id: parts.instanceId(),
        version: version ?? null,
        host: host ?? null,
        process_id: processId ?? null,
        worker: worker ?? null,
        trouble: found?.trouble ?? null,
        reason: found?.reason ?? null,
        store: toEngine(store.engine),
        shared: toEngine(shared?.engine),
      },
    };
  },
});

function toEngine(engine: Engine | undefined): Instance['store'] {
  if (engine === undefined) return null;
  const { type, address, database = null } = engine;
  return { type, address, database, outage: engine.outage?.() ?? null };
}

/** `GET /openapi.json`: names the address at which it was asked for as the server. */
export const getOpenApi = publicOperation<SystemParts>()({
  response: { mediaTypes: { 'application/json': z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }) } },
  async run({ parts, request }) {
    const document = { ...(await parts.describeApi()), servers: [{ url: request.baseUrl }] };
    return toJsonResponse(200, document);
  },
});
