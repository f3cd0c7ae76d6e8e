import { GatewayError } from '../../foundation/errors.ts';

/** What would end a path, leave it, or be read differently by servers on its way. */
const UNFIT = /\.\.|%2e|%2f|%5c|[?#\\\p{Cc}]/iu;

/**
 * What is wrong with a provider's name of a model where the wire makes it a part of the address; undefined when it is
 * fit. An address with `..` in it would lead to another operation of the same server, with the same key.
 */
export function findModelPathProblem(providerModel: string): string | undefined {
  const isUnfit = UNFIT.test(providerModel) || providerModel.split('/').some((part) => part === '' || part === '.');
  if (!isUnfit) return undefined;
  return 'stands in the address of calls to this provider: it cannot have "..", "?", "#" or empty parts in it';
}

/** A provider's name of a model as one segment of a path. Throws `invalid_request` for a name that is none. */
export function toModelSegment(providerModel: string): string {
  refuseUnfit(providerModel);
  return encodeURIComponent(providerModel);
}

/** The same for a name whose slashes are those of the path. */
export function toModelSegments(providerModel: string): string {
  refuseUnfit(providerModel);
  return providerModel.split('/').map(encodeURIComponent).join('/');
}

function refuseUnfit(providerModel: string): void {
  const problem = findModelPathProblem(providerModel);
  if (problem === undefined) return;
  throw new GatewayError('invalid_request', `The name of the model at its provider ${problem}`);
}
