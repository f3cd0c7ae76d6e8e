import { GatewayError } from '../../foundation/errors.ts';
import { isObject, objectsOf, parseReturned } from '../../foundation/parse.ts';
import { readModalities } from '../kit/read-modalities.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Field names of servers for a model's context length. */
const CONTEXT_FIELDS = ['context_length', 'context_window', 'max_context_length', 'max_model_len'];

/** Together's response is the bare list, Cohere's names it and its models otherwise. Throws `provider_unavailable` for anything else than a list. */
export function readModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseReturned(text, providerName, 'a model list');
  const data = isObject(body) && !Array.isArray(body) ? (body['data'] ?? body['models']) : body;
  if (!Array.isArray(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "data"`);
  }
  return objectsOf(data).flatMap((fields) => {
    const id = fields['id'] ?? fields['name'];
    if (typeof id !== 'string') return [];
    const contextLength = CONTEXT_FIELDS.map((field) => fields[field]).find(isCount);
    return [
      {
        id,
        ...(isCount(fields['created']) && { created: fields['created'] }),
        ...(contextLength !== undefined && { contextLength }),
        ...readModalities(fields),
      },
    ];
  });
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
