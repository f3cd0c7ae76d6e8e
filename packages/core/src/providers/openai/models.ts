import { GatewayError } from '../../foundation/errors.ts';
import { parseReturned } from '../../foundation/parse.ts';
import { readListedModels } from '../kit/read-listed-models.ts';
import type { DiscoveredModel } from '../provider.ts';

/** Reads the list of models of a server with this wire. Throws `provider_unavailable` for anything else than a list. */
export function readModelList(text: string, providerName: string): readonly DiscoveredModel[] {
  const models = readListedModels(parseReturned(text, providerName, 'a model list'));
  if (models !== undefined) return models;
  throw new GatewayError('provider_unavailable', `${providerName} returned a model list without "data"`);
}
