import {
  type DatedModel,
  type DatedModels,
  expandParameterSets,
} from '../../packages/core/src/catalog/built-in-models.ts';
import {
  type CatalogChange,
  changeEndpoint,
  compareEndpoints,
} from '../../packages/core/src/catalog/compare-endpoints.ts';
import type { DiscoveredModel } from '../../packages/core/src/providers/provider.ts';

type Comparison = ReturnType<typeof compareEndpoints>;

/** A data file's models with what a list says of one provider's endpoints, and what differed. */
export interface Refresh extends Comparison {
  readonly models: readonly DatedModel[];
}

/** Takes over what a list says. What it does not state stays as it was; nothing is added and nothing removed. */
export function refreshEndpoints(
  { models, parameterSets }: DatedModels,
  listed: readonly DiscoveredModel[],
  provider: string,
): Refresh {
  const expanded = models.map((model) => expandParameterSets(model, parameterSets));
  const comparison = compareEndpoints(expanded, listed, provider);
  return { ...comparison, models: models.map((model) => changeModel(model, comparison.changes)) };
}

function changeModel(model: DatedModel, all: readonly CatalogChange[]): DatedModel {
  const changes = all.filter((change) => change.model === model.id);
  const inputs = changes.find(({ field }) => field === 'input_modalities')?.to as string[] | undefined;
  return {
    ...model,
    ...(inputs !== undefined && { architecture: { ...model.architecture, input_modalities: inputs } }),
    endpoints: model.endpoints.map((endpoint) =>
      changes
        .filter(({ provider, tag }) => endpoint.provider === provider && endpoint.tag === tag)
        .reduce(changeEndpoint, endpoint),
    ),
  };
}
