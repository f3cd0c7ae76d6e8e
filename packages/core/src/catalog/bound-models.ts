import { findModelPathProblem } from '../providers/kit/to-upstream.ts';
import type { DiscoveredModel, Provider } from '../providers/provider.ts';

/** More than any provider serves: a longer list is a mistake, and would fill the memory. */
export const MAX_LISTED_MODELS = 20_000;
export const MAX_MODEL_NAME_LENGTH = 256;

/** The numbers of models of a provider's list that are not served. */
export interface LeftOutModels {
  /** Beyond the limit of the list. */
  readonly surplus: number;
  readonly longNames: number;
  /** Names that the wire makes a part of the address, and that cannot be one. */
  readonly unfitNames: number;
}

/** A provider's list of models as far as it is served. */
export interface BoundModels {
  readonly models: readonly DiscoveredModel[];
  /** Null when that is all of it. */
  readonly leftOut: LeftOutModels | null;
}

/** Leaves out of a provider's list what cannot be served: unfit names first, then what is beyond the limit. */
export function boundModels(
  listed: readonly DiscoveredModel[],
  { putsModelInPath = false }: Pick<Provider, 'putsModelInPath'>,
): BoundModels {
  const short = listed.filter(({ id }) => id.length <= MAX_MODEL_NAME_LENGTH);
  const fit = putsModelInPath ? short.filter(({ id }) => findModelPathProblem(id) === undefined) : short;
  const models = fit.slice(0, MAX_LISTED_MODELS);
  if (models.length === listed.length) return { models, leftOut: null };
  const leftOut = {
    surplus: fit.length - models.length,
    longNames: listed.length - short.length,
    unfitNames: short.length - fit.length,
  };
  return { models, leftOut };
}

/** Says for people which models of a list are left out, and why. */
export function describeLeftOut({ surplus, longNames, unfitNames }: LeftOutModels): string {
  const reasons = [
    surplus > 0 ? `${surplus} because a list has at most ${MAX_LISTED_MODELS}` : '',
    longNames > 0 ? `${longNames} whose names are longer than ${MAX_MODEL_NAME_LENGTH} characters` : '',
    unfitNames > 0 ? `${unfitNames} whose names cannot stand in an address` : '',
  ];
  return `models of the list are left out: ${reasons.filter((reason) => reason !== '').join(', ')}`;
}
