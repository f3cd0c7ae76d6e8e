import { toModelSegments } from '../../kit/model-in-path.ts';

/**
 * `gemini-x` is a model; a name with a slash contains its own kind (`tunedModels/x`). Throws `invalid_request` for a name
 * that cannot stand in an address.
 */
export function toModelPath(providerModel: string): string {
  return toModelSegments(providerModel.includes('/') ? providerModel : `models/${providerModel}`);
}
