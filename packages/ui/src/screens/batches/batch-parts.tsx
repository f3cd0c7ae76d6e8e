import type { BatchRow } from '@model-gateway/core/wire';

import { ProgressBar } from '../../features/files/progress-bar.tsx';
import { formatCount } from '../../format/quantity.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { batchesMessages } from './messages.tsx';

const TONES: Readonly<Record<BatchRow['status'], Tone>> = {
  validating: 'neutral',
  failed: 'bad',
  in_progress: 'accent',
  finalizing: 'accent',
  completed: 'neutral',
  expired: 'caution',
  cancelling: 'caution',
  cancelled: 'caution',
};

/** Only what is not as one wants it stands out. */
export function BatchStatus({ status }: Pick<BatchRow, 'status'>) {
  const word = batchesMessages().statuses[status];
  if (status === 'completed') return <span className="text-ink-soft">{word}</span>;
  return <Badge tone={TONES[status]}>{word}</Badge>;
}

interface BatchProgressProps {
  readonly counts: BatchRow['request_counts'];
  /** `wide`: alone in its row. `stacked`: the figures below the bar, for a narrow column. */
  readonly look?: 'line' | 'stacked' | 'wide';
}

const LOOKS = {
  line: 'figures flex min-w-0 items-center gap-2',
  stacked: 'figures flex min-w-0 flex-col gap-1 text-xs',
  wide: 'figures flex flex-col gap-1 text-sm',
} as const;

/** How many lines are done, as a bar and in figures. */
export function BatchProgress({ counts: { total, completed, failed }, look = 'line' }: BatchProgressProps) {
  const t = batchesMessages();
  const [over, all] = [formatCount(completed + failed), formatCount(total)];
  const text = failed > 0 ? t.failedLines(over, all, formatCount(failed)) : t.progressOf(over, all);
  return (
    <span className={LOOKS[look]} title={text}>
      <ProgressBar
        label={t.progressLabel}
        text={text}
        total={total}
        done={completed}
        failed={failed}
        {...(look !== 'line' && { className: look === 'wide' ? 'h-2 w-full' : 'h-1.5 w-full' })}
      />
      <span className="truncate">{text}</span>
    </span>
  );
}

/** What a batch calls, in a word. */
export const toKind = (endpoint: string): string =>
  Object.entries(batchesMessages().kinds).find(([path]) => path === endpoint)?.[1] ?? showControls(endpoint);
