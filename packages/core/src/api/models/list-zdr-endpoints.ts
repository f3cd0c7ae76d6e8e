import { toEndpointRecord } from '../../catalog/to-model-record.ts';
import { findShownEndpoints } from '../../dispatch/usable-endpoints.ts';
import { operation } from '../../http/operation.ts';
import { zdrEndpointListSchema } from '../../wire/account.ts';
import type { ModelParts } from './model-parts.ts';

/** `GET /endpoints/zdr`: the endpoints that are known to retain no data. */
export const listZdrEndpoints = operation<ModelParts>()({
  response: zdrEndpointListSchema,
  async run(context) {
    const shown = await findShownEndpoints(context);
    const data = context.parts.catalog.list().flatMap((model) =>
      shown(model)
        .filter(({ provider }) => provider.dataPolicy.retainsPrompts === false)
        .map((endpoint) => toEndpointRecord(model, endpoint)),
    );
    return { data };
  },
});
