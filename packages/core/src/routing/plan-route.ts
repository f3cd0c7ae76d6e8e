import type { Endpoint } from '../catalog/catalog.ts';
import { GatewayError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';
import { resolveModels } from './resolve-models.ts';
import { type Exclusion, parametersOf, selectEndpoints } from './select-endpoints.ts';

/** Where a request may go: models in order, each with its endpoints in order, none of them empty. */
export type Route = readonly (readonly Endpoint[])[];

/** Plans the way of a chat request. Throws `not_found` that names the rules when they leave no endpoint. */
export function planRoute(request: ChatCompletionRequest, { catalog, account }: Runtime): Route {
  const preferences = request.provider ?? {};
  const parameters = preferences.require_parameters === true ? parametersOf(request) : [];
  const models = resolveModels(request, catalog, account.defaultModel);
  const selections = models.map((resolved) => selectEndpoints({ resolved, preferences, account, parameters }));
  const route = selections.map(({ endpoints }) => endpoints).filter((endpoints) => endpoints.length > 0);
  if (route.length === 0) {
    throw noEndpointLeft(
      models.map(({ model }) => model.id),
      selections.flatMap(({ excluded }) => excluded),
    );
  }
  return route;
}

function noEndpointLeft(models: readonly string[], excluded: readonly Exclusion[]): GatewayError {
  const reasons = excluded.map(({ endpoint, rule }) => `${endpoint.tag} (${rule})`);
  const message = `No endpoint of ${models.join(', ')} meets the request's requirements; excluded: ${reasons.join(', ') || 'none'}`;
  return new GatewayError('not_found', message, {
    metadata: {
      excluded: excluded.map(({ endpoint, rule }) => ({ provider: endpoint.tag, model: endpoint.modelId, rule })),
    },
  });
}
