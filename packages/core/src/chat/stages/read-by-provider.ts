import type { CatalogModel, Endpoint } from '../../catalog/catalog.ts';
import { costOfCharges } from '../../catalog/prices.ts';
import { askWithSomeKey } from '../../dispatch/ask-by-keys.ts';
import { toCallError } from '../../dispatch/ask-endpoint.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { toBase64Pieces } from '../../providers/kit/base64.ts';
import type { Provider } from '../../providers/provider.ts';
import { keyStickinessOf } from '../../routing/key-pools.ts';
import { selectEndpoints } from '../../routing/select-endpoints.ts';
import type { ChatRun } from '../chat-run.ts';

/** Reads a PDF at a provider, page by page. Throws what refuses it. */
export type ReadByProvider = (bytes: Uint8Array, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Creates the reading of PDFs by a provider, which may have the file if it may serve the call: guardrails, settings of
 * the account and the wishes of the caller for their data hold for it as well. Its pages are charged to the call.
 */
export function createReadByProvider(run: ChatRun, models: readonly CatalogModel[]): ReadByProvider {
  const { observer, parts } = run;
  return async (bytes, signal) => {
    const reader = chooseReader(run, models);
    const { provider, providerModel, prices } = reader;
    const document = toDataUrl(bytes);
    const asked = { provider, stickyKey: keyStickinessOf(run.call, reader), signal };
    const ask = async (keyed: Provider) =>
      keyed.ocr?.({ providerModel, document, signal, timeoutMs: parts.timeouts.nonStreamMs });
    const result = await askWithSomeKey(asked, parts.attempts.pools, ask).catch((error: unknown) => {
      signal.throwIfAborted();
      throw toCallError(error, provider.name);
    });
    if (result === undefined) throw new GatewayError('not_found', `${provider.name} reads no documents`);
    const charge = { unit: 'request', count: result.chargedPages, price: prices.request ?? 0n } as const;
    observer.noteCost(costOfCharges([charge], []));
    run.pipeline.add({
      type: 'plugin',
      name: 'file-parser',
      data: { engine: 'mistral-ocr', provider: provider.name, pages: result.chargedPages },
    });
    return result.pages;
  };
}

function chooseReader({ call, caller, parts }: ChatRun, models: readonly CatalogModel[]): Endpoint {
  const { data_collection, zdr } = call.kind.preferencesOf(call.request).provider;
  let rule: string | undefined;
  for (const model of models) {
    const { endpoints, excluded } = selectEndpoints({
      resolved: { model, variants: [] },
      preferences: { data_collection, zdr },
      account: parts.account,
      kind: 'chat',
      region: call.region,
      constraints: caller.policy?.constraints,
    });
    const [endpoint] = endpoints;
    if (endpoint !== undefined) return endpoint;
    rule ??= excluded[0]?.rule;
  }
  const message = `No provider may read this file for the engine "mistral-ocr": excluded by ${rule ?? 'configuration'}`;
  throw new GatewayError('permission_denied', message);
}

function toDataUrl(bytes: Uint8Array): string {
  const decoder = new TextDecoder();
  let text = 'data:application/pdf;base64,';
  for (const piece of toBase64Pieces([bytes])) text += decoder.decode(piece);
  return text;
}
