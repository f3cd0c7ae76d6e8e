import { toModelRecord } from '../../catalog/to-model-record.ts';
import { findShownEndpoints, modelsWith } from '../../dispatch/usable-endpoints.ts';
import { GatewayError } from '../../foundation/errors.ts';
import { mountPathOf, type RequestContext } from '../../http/request.ts';
import type { Model } from '../../wire/models.ts';
import type { ModelParts } from './model-parts.ts';
import { linkBelow } from './page-of-models.ts';

/** One model as the list shows it to the same caller. Rejects with `not_found` for what is not in that list. */
export async function findShownModel(
  slug: string,
  context: Pick<RequestContext<ModelParts>, 'request' | 'principal' | 'parts'>,
): Promise<Model> {
  const { parts } = context;
  const id = parts.catalog.find(slug)?.id;
  const model = modelsWith(await findShownEndpoints(context), parts).find((shown) => shown.id === id);
  if (model === undefined) throw new GatewayError('not_found', `There is no model ${slug.slice(0, 200)}`);
  const [record] = linkBelow(mountPathOf(context.request), [toModelRecord(model)]);
  return record as Model;
}
