import type { Generation, GenerationStatus } from '@model-gateway/core/wire';

import { Badge, type Tone } from '../../../parts/badge.tsx';

/**
 * The one word for how a call ended, wherever it is shown: in lists, details, filters and charts, and the same as in the
 * API and its exports. Why the model stopped is its finish reason, which is something else.
 */
export const GENERATION_STATUSES: Readonly<
  Record<GenerationStatus, { readonly label: string; readonly tone: Tone; readonly meaning?: string }>
> = {
  ok: { label: 'ok', tone: 'good' },
  failed: { label: 'failed', tone: 'bad' },
  cancelled: { label: 'cancelled', tone: 'caution' },
  interrupted: { label: 'interrupted', tone: 'bad', meaning: 'The gateway stopped during the call' },
};

export const isStatus = (text: string): boolean => Object.hasOwn(GENERATION_STATUSES, text);

export function StatusBadge({ status }: { status: GenerationStatus }) {
  const { label, tone, meaning } = GENERATION_STATUSES[status];
  return (
    <Badge tone={tone} {...(meaning !== undefined && { title: meaning })}>
      {label}
    </Badge>
  );
}

type Ending = Pick<Generation, 'cancelled' | 'finish_reason' | 'interrupted'>;

/** The status of a record, as the gateway puts it into the rows of lists. */
export function toStatus({ cancelled, interrupted, finish_reason: reason }: Ending): GenerationStatus {
  if (interrupted === true) return 'interrupted';
  return cancelled === true ? 'cancelled' : reason === 'error' ? 'failed' : 'ok';
}
