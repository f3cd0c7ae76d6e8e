import type { Preset } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { type Caller, callApi } from '../../api/call-api.ts';
import type { Page } from '../../api/types.ts';

/** What all queries of presets begin with. */
export const PRESETS_KEY = ['presets'];
/** The most of one page: nobody looks through more. */
const MAX_LISTED = 100;

/** The presets of the caller's workspace, the last changed first. Without a caller: of the default one. */
export const presetsQuery = (caller?: Caller) =>
  queryOptions({
    queryKey: [...PRESETS_KEY, 'list', caller],
    staleTime: 0,
    queryFn: ({ signal }) => callApi<Page<Preset>>('/api/v1/presets', { query: { limit: MAX_LISTED }, caller, signal }),
  });

const MARK = '@preset/';

/** How a preset is named in the place of a model. */
export const toPresetModel = (slug: string): string => MARK + slug;

/** The slug in the name of a model; undefined where it names no preset. */
export const slugOfModel = (model: string): string | undefined => model.split(MARK)[1];
