import type { GuardrailDryRunLine } from '@model-gateway/core/wire';

import { formatCount } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';

interface DryRunProgressProps {
  readonly state: 'running' | 'done' | 'stopped';
  readonly line: GuardrailDryRunLine | null;
}

/** How far a dry run has come. */
export function DryRunProgress({ state, line }: DryRunProgressProps) {
  const looked = line?.looked_at ?? 0;
  const total = line?.total ?? 0;
  const part = state === 'done' ? 1 : total === 0 ? 0 : looked / total;
  const backTo = line?.back_to ?? null;
  return (
    <div className="flex flex-col gap-1">
      <div
        role="progressbar"
        aria-label="Dry run"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={looked}
        aria-valuetext={`${formatCount(looked)} of ${formatCount(total)} calls`}
        className="h-2 overflow-hidden rounded-full bg-raised forced-colors:border"
      >
        <div className="h-full rounded-full bg-accent forced-color-adjust-none" style={{ width: `${part * 100}%` }} />
      </div>
      <p className="figures text-xs text-ink-faint">
        {formatCount(looked)} of {formatCount(total)} calls looked at
        {backTo !== null && `, back to ${formatMoment(backTo)}`}
        {state === 'stopped' && '; stopped'}
      </p>
    </div>
  );
}
