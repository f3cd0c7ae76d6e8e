import type { EndpointDefinition, ModelDefinition } from '../wire/model-definition.ts';

/**
 * Models and the sources of their facts. Their endpoints name presets, where a configured model names a provider's
 * slug. `SetName` are the names of `parameterSets`; without one, every endpoint lists its parameters itself.
 */
export interface DatedModels<SetName extends string = never> {
  readonly sources: readonly {
    readonly url: string;
    /** YYYY-MM-DD: when the facts were last compared with it. */
    readonly date: string;
  }[];
  /** Lists of `supported_parameters` that several endpoints share. */
  readonly parameterSets?: Readonly<Record<SetName, string[]>>;
  readonly models: readonly DatedModel<SetName>[];
}

/** A model whose endpoints may name a set of parameters. */
export type DatedModel<SetName extends string> = Omit<ModelDefinition, 'endpoints'> & {
  endpoints: DatedEndpoint<SetName>[];
};

/** An endpoint that lists its parameters, or names a set of them. */
export type DatedEndpoint<SetName extends string> =
  | EndpointDefinition
  | (Omit<EndpointDefinition, 'supported_parameters'> & { supported_parameters: SetName });
