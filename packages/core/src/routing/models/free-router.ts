import { priceOf } from '../../catalog/catalog.ts';
import { MAX_ROUTED_MODELS, type RouterStrategy } from './router.ts';

/** Draws among the models that cost nothing, and uses only those of their endpoints that do. */
export const resolveFree: RouterStrategy = ({ candidates, random }) => {
  const free = candidates.flatMap((model) => {
    const endpoints = model.endpoints.filter((endpoint) => priceOf(endpoint) === 0);
    return endpoints.length === 0 ? [] : [{ ...model, endpoints }];
  });
  const drawn = [];
  while (drawn.length < MAX_ROUTED_MODELS && free.length > 0) {
    drawn.push(...free.splice(Math.floor(random() * free.length), 1));
  }
  return drawn;
};
