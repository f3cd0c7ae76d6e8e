import type { Model } from '@model-gateway/core/wire';

import type { OtherPathName } from '../../app/base-url.ts';

/** The operation that calls the model, where that is not the chat; null where it is. */
export function toOtherPath({
  architecture: { output_modalities: outputs },
}: Pick<Model, 'architecture'>): OtherPathName | null {
  if (outputs.includes('text')) return null;
  return outputs.includes('video') ? '/videos' : outputs.includes('embeddings') ? '/embeddings' : null;
}
