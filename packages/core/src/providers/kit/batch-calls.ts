import type { Awaitable } from '../../foundation/awaitable.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { readLines } from '../../foundation/lines.ts';
import { isRecord, parseJson, type Unchecked } from '../../foundation/parse.ts';
import { readErrorText, readText, type TransportRequest, type TransportResponse } from '../../foundation/transport.ts';
import type { BatchCall } from '../batch-contract.ts';
import type { BatchApi, ChatCall } from '../provider.ts';
import type { ChatWire } from './create-chat-wire.ts';
import type { ProviderOptions, Upstream } from './to-upstream.ts';
import { toRefusalError } from './upstream-error.ts';

/** What a provider's settings say of its batch API. */
export type BatchSettings = Pick<ProviderOptions, 'baseUrl' | 'batches' | 'batchPriceShare'>;

/** All providers that have such an API charge half. */
const USUAL_SHARE = 0.5;

/** Whether the lines of batches go to the provider's own API, by default only where it is known to have one. */
export const hasBatches = ({ baseUrl, batches }: BatchSettings, knownHost: string): boolean =>
  batches ?? URL.parse(baseUrl)?.hostname === knownHost;

type Limits = Pick<BatchCall, 'signal' | 'timeoutMs'>;

type Sent = Pick<TransportRequest, 'method' | 'url' | 'headers' | 'body'>;

/** The ways to call a batch API. Each throws `GatewayError` or `TransportError`. */
export interface BatchCalls {
  /** Resolves with the JSON object of a response that is no refusal. */
  json(sent: Sent, limits: Limits): Promise<Unchecked>;
  /** Yields the JSON objects of a response in lines; passes over what is none. */
  lines(url: string, limits: Limits): AsyncGenerator<Unchecked>;
}

/** Creates them for a wire. Headers of a call are added to those of the provider. */
export function createBatchCalls(upstream: Upstream, { readError }: Pick<ChatWire, 'readError'>): BatchCalls {
  const { name, headers, transport } = upstream;
  const open = async (sent: Sent, { signal, timeoutMs }: Limits, isLong: boolean): Promise<TransportResponse> => {
    const response = await transport.send({
      ...sent,
      headers: { ...headers, ...sent.headers },
      signal,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      totalTimeoutMs: isLong ? Number.POSITIVE_INFINITY : timeoutMs,
      ...(isLong && { maxBodyBytes: Number.POSITIVE_INFINITY }),
    });
    if (response.status >= 200 && response.status < 300) return response;
    throw toRefusalError(upstream, readError, response, await readErrorText(response.body));
  };
  return {
    async json(sent, limits) {
      const { body } = await open(sent, limits, false);
      const value = parseJson(await readText(body));
      if (isRecord(value)) return value;
      throw new GatewayError('provider_unavailable', `${name} returned something other than a batch`);
    },
    async *lines(url, limits) {
      const { body } = await open({ method: 'GET', url, headers: {} }, limits, true);
      for await (const { text } of readLines(body)) {
        const value = parseJson(text);
        if (isRecord(value)) yield value;
      }
    },
  };
}

/** The members that convert calls, and the price, which are alike for all wires. */
export function createBatchLines(
  upstream: Upstream,
  wireOf: (call: ChatCall) => Awaitable<ChatWire>,
  { batchPriceShare = USUAL_SHARE }: BatchSettings,
): Pick<BatchApi, 'priceShare' | 'toRequest' | 'readResponse'> {
  const { name, secrets } = upstream;
  return {
    priceShare: batchPriceShare,
    async toRequest(call) {
      const wire = await wireOf(call);
      return { group: wire.toUrl(call), body: JSON.stringify(await wire.toBody(call)) };
    },
    async readResponse(call, { status, body }) {
      const wire = await wireOf(call);
      call.onSent?.(wire.name, await wire.toBody(call));
      if (status !== 200) throw toRefusalError(upstream, wire.readError, { status, headers: {} }, body);
      const { generationId, native, keepsNative } = call;
      const reader = wire.createReader({
        keepsNative: keepsNative === true && native !== undefined && native.form === wire.nativeForm,
        providerName: name,
        secrets,
        makeId: (number) => `${wire.toolCallPrefix ?? 'call'}_${generationId.slice(-12)}_${number}`,
      });
      return reader.readWhole(body);
    },
  };
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** The id of a batch in a response. Throws `provider_unavailable` where there is none. */
export function requireId(value: unknown, name: string): string {
  const id = textOf(value);
  if (id !== undefined) return id;
  throw new GatewayError('provider_unavailable', `${name} returned a batch without an id`);
}
