import { GatewayError } from '../../foundation/errors.ts';
import { isObject, type Unchecked } from '../../foundation/parse.ts';
import { parseReturned } from '../kit/parse-json.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Reads the response of `GET /models`. Throws `provider_unavailable` when it is no list. */
export function readAnthropicModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseReturned(text, providerName, 'a model list');
  const data = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "data"`);
  }
  return data.flatMap((entry: unknown) => (isObject(entry) ? toDiscoveredModel(entry) : []));
}

function toDiscoveredModel({ id, created_at, max_input_tokens }: Unchecked): DiscoveredModel[] {
  if (typeof id !== 'string') return [];
  // Models from before dates were recorded have the year 1970.
  const created = typeof created_at === 'string' ? Date.parse(created_at) / 1000 : 0;
  const hasContextLength = Number.isSafeInteger(max_input_tokens) && Number(max_input_tokens) > 0;
  return [
    {
      id,
      ...(created > 0 && { created: Math.floor(created) }),
      ...(hasContextLength && { contextLength: Number(max_input_tokens) }),
    },
  ];
}
