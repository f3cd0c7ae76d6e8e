import { z } from 'zod';

import type { BoundModels } from '../catalog/bound-models.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { toUsd } from '../foundation/money.ts';
import type { Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { type GatewayResponse, toJsonResponse } from '../http/response.ts';
import type { Provider, ProviderKey } from '../providers/provider.ts';
import {
  countEndpointStates,
  createCounts,
  type HealthBoard,
  type EndpointStateCounts,
} from '../routing/health/endpoint-health.ts';
import type { KeyBoard } from '../routing/health/key-board.ts';
import type { KeyReport } from '../routing/health/key-health.ts';
import type { ProviderChecks, ProviderFinding } from '../setup/setup-host.ts';
import type { ProviderHistories } from '../trials/provider-histories.ts';
import { providerListSchema } from '../wire/account.ts';
import {
  findingLineSchema,
  type LayerFinding,
  modelProvidersSchema,
  providerKeyResponseSchema,
  type ProviderKeyState,
  providerStateListSchema,
  providerTestRequestSchema,
  providerTestResultSchema,
} from '../wire/providers.ts';

export interface ProviderParts {
  readonly providers: readonly Provider[];
  /** As the host gave them. */
  readonly hostProviders: readonly Provider[];
  /** Undefined where the host reports nothing about connections. */
  readonly providerChecks: ProviderChecks | undefined;
  readonly catalog: Catalog;
  /** The lists of models of providers that were asked for them, by slug. */
  readonly discovered: ReadonlyMap<string, BoundModels>;
  readonly health: HealthBoard;
  readonly keyBoard: KeyBoard;
  readonly providerHistories: ProviderHistories;
  readonly platform: Pick<Platform, 'now'>;
}

/** A test of a provider that is under way; it ends with what it returns. */
export type RunningTest<Found> = AsyncIterator<ProviderFinding, Found>;

interface TestResponseOptions<Found> {
  /** Whether findings are sent as they come. */
  readonly stream: boolean;
  /** The `data` of the response, when all has been found. */
  readonly toData: (findings: readonly LayerFinding[], found: Found) => { readonly ok: boolean };
  readonly headers: Record<string, string>;
}

/**
 * The response with what a test finds: whole, or as lines of JSON, one `{ "finding": … }` for each layer when it has
 * been looked at, and last what the whole response would be.
 */
export async function toTestResponse<Found>(
  test: RunningTest<Found>,
  { stream, toData, headers }: TestResponseOptions<Found>,
): Promise<GatewayResponse> {
  if (stream) return { status: 200, headers: { ...headers, ...STREAM_HEADERS }, body: toLines(test, toData) };
  const findings: LayerFinding[] = [];
  for (;;) {
    const { done, value } = await test.next();
    if (done === true) return toJsonResponse(200, { data: toData(findings, value) }, headers);
    findings.push(toLayerFinding(value));
  }
}

/** Whether no layer stands in the way. */
export const isWell = (findings: readonly LayerFinding[]): boolean =>
  findings.every(({ status }) => status !== 'failed');

/** For the description of an operation. */
export const TEST_HEADERS = {
  'cache-control': 'Of a stream: `no-cache, no-transform`',
  'x-accel-buffering': 'Of a stream: `no`',
};

const STREAM_HEADERS = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

async function* toLines<Found>(
  test: RunningTest<Found>,
  toData: TestResponseOptions<Found>['toData'],
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const toLine = (value: object): Uint8Array => encoder.encode(`${JSON.stringify(value)}\n`);
  const findings: LayerFinding[] = [];
  try {
    for (;;) {
      const { done, value } = await test.next();
      if (done === true) return yield toLine({ data: toData(findings, value) });
      const finding = toLayerFinding(value);
      findings.push(finding);
      yield toLine({ finding });
    }
  } finally {
    await test.return?.();
  }
}

const toLayerFinding = ({ layer, status, detail, advice, durationMs }: ProviderFinding): LayerFinding => ({
  layer,
  status,
  detail,
  ...(advice !== undefined && { advice }),
  ...(durationMs !== undefined && { duration_ms: durationMs }),
});

/** `GET /providers`: those of this gateway. Where they sit and what they publish is not known to it. */
export const listProviders = operation<ProviderParts>()({
  response: providerListSchema,
  run: ({ parts }) => ({
    data: parts.providers.map(({ slug, name }) => ({
      name,
      slug,
      privacy_policy_url: null,
      terms_of_service_url: null,
      status_page_url: null,
      headquarters: null,
      datacenters: null,
    })),
  }),
});

/** `GET /admin/v1/providers`: the address of each provider, its number of models, and the health of its endpoints. */
export const listProviderStates = operation<ProviderParts>()({
  response: providerStateListSchema,
  run({ parts }) {
    const { hostProviders, providerChecks, catalog, health, discovered, keyBoard } = parts;
    const states = countEndpointStates(catalog, health);
    const data = hostProviders.map((provider) => {
      const known = providerChecks?.describe(provider);
      const counts = states.get(provider.slug) ?? createCounts();
      const { 'half-open': halfOpen, ...others } = counts;
      return {
        slug: provider.slug,
        name: provider.name,
        host: known?.host ?? null,
        has_key: known?.hasKey ?? null,
        byok: provider.byok ?? false,
        discovers_models: provider.discoverModels ?? false,
        models: Object.values(counts).reduce((sum, count) => sum + count, 0),
        models_left_out: toLeftOut(discovered.get(provider.slug)),
        health: { status: toStatus(counts), endpoints: { ...others, half_open: halfOpen } },
        can_test: known !== undefined,
        keys: (provider.keys ?? []).map((key) => toKeyState(key, keyBoard.of(provider.slug, key).report())),
      };
    });
    return { data };
  },
});

/** `POST /admin/v1/providers/{slug}/keys/{name}/enable`: uses a key again that its provider has refused. */
export const enableProviderKey = operation<ProviderParts>()({
  params: ['slug', 'name'],
  response: providerKeyResponseSchema,
  run({ params: { slug, name }, parts: { keyBoard } }) {
    const known = keyBoard.named(slug, name);
    if (known === undefined) {
      throw new GatewayError(
        'not_found',
        `The provider ${slug.slice(0, 100)} has no key ${name.slice(0, 100)} of several`,
      );
    }
    known.health.enable();
    return { data: toKeyState(known.key, known.health.report()) };
  },
});

const toTime = (ms: number): string => new Date(ms).toISOString();

function toKeyState({ name, fingerprint, weight, limits, isOff }: ProviderKey, report: KeyReport): ProviderKeyState {
  const { state, restsUntil, disabled, underWay, calls, failed, tokens, costNanoUsd, lastError } = report;
  return {
    name,
    fingerprint,
    weight,
    limits: {
      requests_per_minute: limits.requestsPerMinute ?? null,
      tokens_per_minute: limits.tokensPerMinute ?? null,
      calls_under_way: limits.callsUnderWay ?? null,
    },
    state: isOff === true ? 'off' : state,
    rests_until: restsUntil === null ? null : toTime(restsUntil),
    disabled: disabled && { status: disabled.status, at: toTime(disabled.at) },
    under_way: underWay,
    calls,
    failed,
    tokens,
    cost: toUsd(costNanoUsd),
    last_error: lastError && { ...lastError, at: toTime(lastError.at) },
  };
}

/** `GET /admin/v1/models`: by which providers each model is served. */
export const listModelProviders = operation<ProviderParts>()({
  response: modelProvidersSchema,
  run: ({ parts }) => ({
    data: parts.catalog.list().map(({ id, endpoints }) => ({
      id,
      providers: [...new Set(endpoints.map(({ provider }) => provider.slug))],
    })),
  }),
});

function toLeftOut(list: BoundModels | undefined) {
  if (list === undefined || list.leftOut === null) return null;
  const { surplus, longNames, unfitNames } = list.leftOut;
  return { surplus, long_names: longNames, unfit_names: unfitNames };
}

function toStatus({ unused: _, ...used }: EndpointStateCounts): 'unknown' | 'ok' | 'degraded' | 'down' {
  const total = Object.values(used).reduce((sum, count) => sum + count, 0);
  if (total === 0) return 'unknown';
  if (used.steady === total) return 'ok';
  return used.open + used['half-open'] + used.failing === total ? 'down' : 'degraded';
}

/** `POST /admin/v1/providers/{slug}/test`: checks the connection to a provider, layer by layer. */
export const testProvider = operation<ProviderParts>()({
  params: ['slug'],
  body: providerTestRequestSchema,
  response: {
    mediaTypes: {
      'application/json': providerTestResultSchema,
      'application/x-ndjson': z.union([findingLineSchema, providerTestResultSchema]),
    },
  },
  responseHeaders: TEST_HEADERS,
  find({ params: { slug }, parts }) {
    const provider = parts.hostProviders.find((one) => one.slug === slug);
    if (provider === undefined) {
      throw new GatewayError('not_found', `There is no provider ${slug.slice(0, 100)}`);
    }
    const checks = parts.providerChecks;
    if (checks?.describe(provider) === undefined) {
      throw new GatewayError('invalid_request', `The connection to ${slug} is not known here, so it cannot be tested`);
    }
    return { checks, provider };
  },
  run({ request: { signal }, params: { slug }, body: { call, stream }, found: { checks, provider }, responseHeaders }) {
    const test = checks.test(provider, { call, signal })[Symbol.asyncIterator]();
    return toTestResponse(test, {
      stream,
      toData: (findings) => ({ slug, ok: isWell(findings), findings }),
      headers: responseHeaders,
    });
  },
});
