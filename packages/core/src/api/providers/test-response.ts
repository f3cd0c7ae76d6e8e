import { type GatewayResponse, toJsonResponse } from '../../http/response.ts';
import type { ProviderFinding } from '../../setup/setup-host.ts';
import type { LayerFinding } from '../../wire/providers.ts';

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
