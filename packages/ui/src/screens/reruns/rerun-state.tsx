import type { Rerun, RerunVerdict } from '@model-gateway/core/wire';

import { toPresetModel } from '../../features/models/preset-models.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/quantity.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { rerunsMessages } from './messages.ts';

const STATE_TONES: Readonly<Record<Rerun['state'], Tone>> = {
  estimating: 'neutral',
  ready: 'neutral',
  running: 'accent',
  paused: 'caution',
  done: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

export const RerunStateBadge = ({ rerun: { state, reason } }: { rerun: Pick<Rerun, 'state' | 'reason'> }) => (
  <Badge tone={STATE_TONES[state]} {...(reason !== null && { title: showControls(reason) })}>
    {rerunsMessages().states[state]}
  </Badge>
);

/** What a rerun is called: by its name, or else by how many calls it makes again. */
export const toRerunName = ({ name, items }: Pick<Rerun, 'name' | 'items'>): string =>
  name === null ? rerunsMessages().unnamed(items, formatCount(items)) : showControls(name);

/** Its models, each once. */
export const toModelNames = ({ targets }: Pick<Rerun, 'targets'>): string =>
  [...new Set(targets.map(toTargetName))].join(', ');

/** A target by its model, and by its preset where it has one. */
export const toTargetName = ({
  model,
  preset,
}: {
  readonly model: string;
  readonly preset?: string | null | undefined;
}): string => showControls(preset == null ? model : model + toPresetModel(preset));

/** How many of its items are over, as a bar and in figures. */
export function RerunProgress({ counts }: Pick<Rerun, 'counts'>) {
  const t = rerunsMessages();
  const { total, done, failed } = counts;
  const over = done + failed;
  const text = t.progressOf(formatCount(over), formatCount(total));
  return (
    <span className="figures flex min-w-0 items-center gap-2" title={failed > 0 ? t.failed(formatCount(failed)) : text}>
      <span
        role="progressbar"
        aria-label={t.progressLabel}
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={over}
        aria-valuetext={text}
        className="flex h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-line"
      >
        <span className="h-full bg-accent forced-color-adjust-none" style={{ width: toWidth(done, total) }} />
        <span className="h-full bg-bad forced-color-adjust-none" style={{ width: toWidth(failed, total) }} />
      </span>
      <span className="truncate">{text}</span>
    </span>
  );
}

const toWidth = (part: number, total: number): string => `${total === 0 ? 0 : (part / total) * 100}%`;

export const toCostText = ({ spent_usd: spent, max_cost_usd: limit }: Rerun): string =>
  rerunsMessages().costOf(formatUsd(spent), formatUsd(limit));

const VERDICT_TONES = { win: 'good', tie: 'neutral', loss: 'bad' } as const;

export const VerdictBadge = ({ verdict }: { verdict: RerunVerdict }) => (
  <Badge tone={VERDICT_TONES[verdict]}>{rerunsMessages().page.outcome[verdict]}</Badge>
);
