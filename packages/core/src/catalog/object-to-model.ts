import { suggestName } from '../foundation/nearest-name.ts';
import type { ConfiguredModel, ModelDefinition } from '../wire/models/model-definition.ts';
import { findIncompleteParts } from './override-models.ts';

/** Something that is wrong in the definition of a model. */
export interface ModelObjection {
  /** The keys that lead to the field. */
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

/**
 * What no single field of a model shows: providers that are not there, and parts that are missing. `served` are the
 * built-in models of the providers with these slugs.
 */
export function objectToModel(
  model: ConfiguredModel,
  { slugs, served }: { readonly slugs: readonly string[]; readonly served: readonly ModelDefinition[] },
): ModelObjection[] {
  const unknownProviders = (model.endpoints ?? []).flatMap(({ provider }, endpoint) =>
    slugs.includes(provider)
      ? []
      : [{ keys: ['endpoints', endpoint, 'provider'], message: describeUnknownSlug(provider, slugs) }],
  );
  const builtIn = served.find(({ id }) => id === model.id);
  const missing = findIncompleteParts(builtIn, model).map(({ field, endpoint }) =>
    endpoint === null
      ? {
          keys: [field],
          message: `is missing, and no configured provider serves "${model.id}" by itself: say who does`,
        }
      : {
          keys: ['endpoints', endpoint, field],
          message: "is missing, and this is not built in: give the provider's own name of the model",
        },
  );
  return [...unknownProviders, ...missing];
}

function describeUnknownSlug(name: string, slugs: readonly string[]): string {
  const near = suggestName(name, slugs);
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
  const known = slugs.map((slug) => `"${slug}"`).join(', ') || 'none';
  return `"${name}" is not the slug of a configured provider; there are: ${known}${hint}`;
}
