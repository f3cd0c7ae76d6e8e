import { modelsQuery, recentCallsQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';

const UNKNOWN = 'demo/chat';

/** The model that a copied snippet names: that of the latest request that succeeded, else the first that writes text. */
export function findSnippetModel(): string {
  const calls = queryClient.getQueryData(recentCallsQuery.queryKey)?.data;
  const models = queryClient.getQueryData(modelsQuery.queryKey);
  const isText = (id: string): boolean =>
    models === undefined ||
    models.some((model) => model.id === id && model.architecture.output_modalities.includes('text'));
  const used = calls?.find(({ status, model }) => status === 'ok' && isText(model))?.model;
  const listed = models?.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id;
  return used ?? listed ?? UNKNOWN;
}
