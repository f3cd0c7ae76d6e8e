import type { ConfiguredModel, ModelSetup } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { ifPermitted } from '../../api/session.ts';

interface ModelSetups {
  readonly data: readonly ModelSetup[];
  readonly editable: boolean;
}

const MODELS = '/admin/v1/setup/models';
const toPath = (id: string): string => `${MODELS}/${id.split('/').map(encodeURIComponent).join('/')}`;

/** What the configuration sets of models, what was set up, and whether models can be set up here. */
export const modelSetupsQuery = queryOptions({
  queryKey: ['model-setups'],
  queryFn: ifPermitted('listModelSetups', ({ signal }) => callApi<ModelSetups>(MODELS, { signal }), {
    data: [],
    editable: false,
  }),
});

export const createModel = (body: ConfiguredModel): Promise<unknown> => callApi(MODELS, { method: 'POST', body });

export const replaceModel = (body: ConfiguredModel): Promise<unknown> =>
  callApi(toPath(body.id), { method: 'PUT', body });

export const deleteModel = (id: string): Promise<unknown> => callApi(toPath(id), { method: 'DELETE' });
