import type { RunningCallRow } from '@model-gateway/core/wire';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleX } from 'lucide-react';
import { useState } from 'react';

import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { CancelDialog } from '../../../features/generations/running/running-bar.tsx';
import { runningQuery, toRunningState } from '../../../features/generations/running/running-query.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/controls/button.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { runningDetailMessages } from './messages.ts';

/** What is known of a call before its end. */
export function RunningDetail({ call, keyName }: { call: RunningCallRow; keyName: string | undefined }) {
  const t = runningDetailMessages();
  const [isCancelling, setIsCancelling] = useState(false);
  const { label, meaning } = toRunningState(call.state);
  const shown = (text: string | null): string => (text === null ? '—' : showControls(text));
  return (
    <div className="scroll-thin flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      <div className="flex flex-wrap items-center gap-3">
        <Badge tone={call.state === 'responding' ? 'good' : 'neutral'}>{label}</Badge>
        <p className="min-w-0 flex-1 text-sm text-ink-soft">{t.note(meaning)}</p>
        <Button look="danger" icon={<CircleX size={15} />} onClick={() => setIsCancelling(true)}>
          {t.cancel}
        </Button>
      </div>
      <Facts
        facts={[
          [t.model, showControls(call.model)],
          [t.provider, shown(call.provider_name)],
          [t.runningFor, formatDuration(call.elapsed_ms)],
          [t.started, formatFull(call.created_at)],
          [t.attempts, formatCount(call.attempts)],
          [t.tokensSoFar, t.tokens(formatCount(call.tokens_prompt), formatCount(call.tokens_completion))],
          [t.costSoFar, call.cost === null ? '—' : formatUsd(call.cost)],
          [t.response, call.streamed ? t.streamed : t.notStreamed],
          [t.key, shown(keyName ?? null)],
          [t.session, shown(call.session_id)],
          [t.app, shown(call.http_referer ?? call.user_agent)],
          [t.user, shown(call.external_user)],
        ]}
      />
      {isCancelling && <CancelDialog call={call} onClose={() => setIsCancelling(false)} />}
    </div>
  );
}

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
