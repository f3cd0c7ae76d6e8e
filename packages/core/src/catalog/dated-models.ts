import type { ModelDefinition } from '../wire/models/model-definition.ts';

/**
 * Models and the sources of their facts. Their endpoints name presets, where a configured model names a provider's
 * slug.
 */
export interface DatedModels {
  readonly sources: readonly {
    readonly url: string;
    /** YYYY-MM-DD: when the facts were last compared with it. */
    readonly date: string;
  }[];
  readonly models: readonly ModelDefinition[];
}
