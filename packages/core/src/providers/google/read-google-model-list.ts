import { GatewayError } from '../../foundation/errors.ts';
import { isObject, objectsOf } from '../../foundation/parse.ts';
import { parseJson } from '../kit/parse-json.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Lists the models that can chat. Throws `provider_unavailable` when the body is no list. */
export function readGoogleModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const body = parseJson(text);
  if (!isObject(body) || !Array.isArray(body['models'])) {
    throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "models"`);
  }
  return objectsOf(body['models']).flatMap((model) => {
    const { name, inputTokenLimit, supportedGenerationMethods: methods } = model;
    if (typeof name !== 'string' || (Array.isArray(methods) && !methods.includes('generateContent'))) return [];
    const id = name.replace(/^models\//, '');
    return [{ id, ...(Number.isSafeInteger(inputTokenLimit) && { contextLength: inputTokenLimit as number }) }];
  });
}
