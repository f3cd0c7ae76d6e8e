import type { Model } from '@model-gateway/core/wire';

/** The models that make something of a kind, and are called for nothing else. */
export const toOutputModels = (models: readonly Model[], output: string): readonly Model[] =>
  models.filter(({ architecture: { output_modalities: outputs } }) => outputs.includes(output));
