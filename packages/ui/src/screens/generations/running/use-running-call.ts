import type { RunningCallRow } from '@model-gateway/core/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { runningQuery } from '../../../features/generations/running/running-query.ts';

interface RunningCall {
  /** Undefined where it is not under way. */
  readonly call: RunningCallRow | undefined;
  readonly keyName: string | undefined;
  /** Whether it was seen under way, so that its record is there or about to be. */
  readonly hasRun: boolean;
}

/** Tells of a call whether it is under way. Asks only where there is no record of it; the list may ask as well. */
export function useRunningCall(id: string): RunningCall {
  const client = useQueryClient();
  const [seen, setSeen] = useState<string>();
  const hasRun = seen === id;
  const record = client.getQueryState(generationQuery(id).queryKey);
  const isUnrecorded = record?.data === undefined;
  const { data } = useQuery({
    ...runningQuery,
    enabled: isUnrecorded && (hasRun || record?.status === 'error'),
  });
  const call = isUnrecorded ? data?.data.find((one) => one.id === id) : undefined;
  if (call !== undefined && !hasRun) setSeen(id);
  return { call, keyName: call && data?.key_names[call.key_hash], hasRun };
}
