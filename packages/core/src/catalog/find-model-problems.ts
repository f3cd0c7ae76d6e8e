import { suggestName } from '../foundation/nearest-name.ts';
import { findModelPathProblem } from '../providers/kit/to-upstream.ts';
import type { ConfiguredModel, ModelDefinition } from '../wire/model-definition.ts';
import { findIncompleteParts } from './override-models.ts';

/** Something that is wrong in the definition of a model. */
export interface ModelProblem {
  /** The keys that lead to the field. */
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

interface ModelSurroundings {
  readonly slugs: readonly string[];
  /** Providers among them whose wire puts the name of a model into the address. Default: none. */
  readonly pathSlugs?: ReadonlySet<string> | undefined;
  /** The built-in models of the providers with these slugs. */
  readonly served: readonly ModelDefinition[];
  /** All configured models, this one among them or not. */
  readonly configured: readonly ConfiguredModel[];
}

/**
 * What no single field of a model shows: providers that are not there, parts that are missing, and aliases that mean
 * something else already.
 */
export function findModelProblems(model: ConfiguredModel, surroundings: ModelSurroundings): ModelProblem[] {
  const { slugs, served } = surroundings;
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
          message: `is missing, and no configured provider serves "${model.id}" by itself: name its endpoints`,
        }
      : {
          keys: ['endpoints', endpoint, field],
          message: "is missing, and this is not built in: give the provider's own name of the model",
        },
  );
  const unfit = (model.endpoints ?? []).flatMap(({ provider, providerModel }, endpoint) => {
    const isInPath = providerModel !== undefined && surroundings.pathSlugs?.has(provider) === true;
    const message = isInPath ? findModelPathProblem(providerModel) : undefined;
    return message === undefined ? [] : [{ keys: ['endpoints', endpoint, 'providerModel'], message }];
  });
  return [...unknownProviders, ...unfit, ...missing, ...findAliasesProblem(model, surroundings)];
}

function findAliasesProblem(
  { id, aliases = [] }: ConfiguredModel,
  { served, configured }: ModelSurroundings,
): ModelProblem[] {
  const others = configured.filter((other) => other.id !== id);
  const ids = new Set([...served, ...configured].map((model) => model.id));
  return aliases.flatMap((alias, index) => {
    const keys = ['aliases', index];
    if (ids.has(alias)) return [{ keys, message: `"${alias}" is the id of a model` }];
    if (aliases.indexOf(alias) < index) return [{ keys, message: `"${alias}" is here already` }];
    const owner = others.find((other) => other.aliases?.includes(alias));
    return owner === undefined ? [] : [{ keys, message: `"${alias}" is an alias of "${owner.id}" already` }];
  });
}

function describeUnknownSlug(name: string, slugs: readonly string[]): string {
  const near = suggestName(name, slugs);
  const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
  const known = slugs.map((slug) => `"${slug}"`).join(', ') || 'none';
  return `"${name}" is not the slug of a configured provider; configured are: ${known}${hint}`;
}
