import type { Preset, PresetVersion, PresetWithVersion } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { type Caller, callApi } from '../../../api/call-api.ts';
import { queryClient } from '../../../api/query-client.ts';
import type { Page } from '../../../api/types.ts';
import { PRESETS_KEY } from '../../../features/models/preset-models.ts';

const PATH = '/api/v1/presets';
/** The most of one page. */
const MAX_LISTED = 100;

const ofSlug = (slug: string): string => `/${encodeURIComponent(slug)}`;

/** The versions of a preset, newest first. */
export const presetVersionsQuery = (slug: string, caller: Caller) =>
  queryOptions({
    queryKey: [...PRESETS_KEY, 'versions', slug, caller],
    staleTime: 0,
    async queryFn({ signal }) {
      const versions: PresetVersion[] = [];
      for (;;) {
        const query = { offset: versions.length, limit: MAX_LISTED };
        const path = `${PATH}${ofSlug(slug)}/versions`;
        const { data, total_count: count } = await callApi<Page<PresetVersion>>(path, { query, caller, signal });
        versions.push(...data);
        if (data.length === 0 || versions.length >= count) return versions.reverse();
      }
    },
  });

const refresh = (): Promise<void> => queryClient.invalidateQueries({ queryKey: PRESETS_KEY });

/** Makes the preset, or its next version. */
export async function savePreset(slug: string, body: object, caller: Caller): Promise<PresetWithVersion> {
  const path = `${PATH}${ofSlug(slug)}/chat/completions`;
  const { data } = await callApi<{ data: PresetWithVersion }>(path, { method: 'POST', body, caller });
  await refresh();
  return data;
}

type PresetChange = Partial<Pick<Preset, 'name' | 'description' | 'status'>> & { readonly designated_version?: number };

/** Changes it by the rights of the session: a key can only add versions. */
export async function changePreset({ slug, workspace_id: id }: Preset, body: PresetChange): Promise<void> {
  const query = { workspace_id: id ?? undefined };
  await callApi(`/admin/v1/presets${ofSlug(slug)}`, { method: 'PATCH', query, body });
  await refresh();
}

export async function deletePreset({ slug, workspace_id: id }: Preset): Promise<void> {
  await callApi(`/admin/v1/presets${ofSlug(slug)}`, { method: 'DELETE', query: { workspace_id: id ?? undefined } });
  await refresh();
}
