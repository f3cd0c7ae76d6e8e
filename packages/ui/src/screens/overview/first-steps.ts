import type { GenerationRow } from '@model-gateway/core/wire';
import { keepPreviousData, queryOptions, useQuery, type UseQueryResult } from '@tanstack/react-query';

import { callApi } from '../../api/call-api.ts';
import { keysQuery, providersQuery, refreshEvery } from '../../api/queries.ts';
import type { GenerationList } from '../../api/types.ts';
import { findUsableKeys, PLAYGROUND_KEY_NAME } from '../../features/playground/usable-keys.ts';

export const STEP_COUNT = 4;

/** Which of the first steps the gateway has seen, in their order. */
export interface FirstSteps {
  /** False until everything is known. */
  readonly isKnown: boolean;
  readonly done: readonly boolean[];
}

/** Hashes that fit into one query. */
const MAX_KEYS = 50;
const LOOK_EVERY_MS = 10_000;

/** Whether a call has ended well, of some keys or of any. What was seen stays so. */
const hasWorkedQuery = (keys: readonly string[] | null) =>
  queryOptions({
    queryKey: ['generations', 'has worked', keys],
    refetchInterval: (query) => (query.state.data === true ? false : refreshEvery(LOOK_EVERY_MS)(query)),
    queryFn: async ({ signal }): Promise<boolean> => {
      if (keys?.length === 0) return false;
      const query = { status: 'ok', limit: 1, fields: 'id', ...(keys !== null && { key: keys.join(',') }) };
      const { data } = await callApi<GenerationList<Pick<GenerationRow, 'id'>>>('/admin/v1/generations', {
        query,
        signal,
      });
      return data.length > 0;
    },
  });

/** Whether a query has got an answer, be it an error. One that failed loads again from time to time. */
export const isAnswered = ({ data, errorUpdateCount }: Pick<UseQueryResult, 'data' | 'errorUpdateCount'>): boolean =>
  data !== undefined || errorUpdateCount > 0;

/** What has been done of the first steps, by what the gateway has: another browser sees the same. */
export function useFirstSteps(isAsked: boolean): FirstSteps {
  const providers = useQuery({ ...providersQuery, enabled: isAsked });
  const keys = useQuery({ ...keysQuery, enabled: isAsked });
  const own = findUsableKeys(keys.data ?? []).filter(({ name }) => name !== PLAYGROUND_KEY_NAME);
  const hashes = own.slice(0, MAX_KEYS).map(({ hash }) => hash);
  const worked = useQuery({ ...hasWorkedQuery(null), enabled: isAsked });
  const connected = useQuery({
    ...hasWorkedQuery(hashes),
    enabled: isAsked && keys.data !== undefined,
    // Until it is known of a key that is new, what was seen of the others counts.
    placeholderData: keepPreviousData,
  });
  const hasWorked = worked.data === true;
  return {
    // Without the keys nothing can be asked about them.
    isKnown: !isAsked || [providers, keys, worked, ...(keys.data ? [connected] : [])].every(isAnswered),
    done: [hasWorked || (providers.data ?? []).length > 0, hasWorked, own.length > 0, connected.data === true],
  };
}
