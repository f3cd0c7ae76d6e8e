import type { CallCourseReport } from '@model-gateway/core/wire';
import { queryOptions } from '@tanstack/react-query';

import { callApi } from '../../../api/call-api.ts';

/** What the time of a call went to. Null parts are those that were not recorded. */
export const courseQuery = (id: string) =>
  queryOptions({
    queryKey: ['generation', id, 'course'],
    queryFn: async ({ signal }) =>
      (await callApi<{ data: CallCourseReport }>(`/admin/v1/generations/${id}/course`, { signal })).data,
  });
