import type { Generation, GenerationStatus } from '@model-gateway/core/wire';
import { CircleSlash, CircleX, Unplug } from 'lucide-react';

import { Badge, type Tone } from '../../../parts/badge.tsx';
import { generationListMessages } from './messages.ts';

/**
 * The one word for how a request ended, wherever it is shown: in lists, details, filters and charts. Why the model
 * stopped is its finish reason, which is something else. Read a label when it is shown, as the language may change.
 */
export const GENERATION_STATUSES: Readonly<
  Record<GenerationStatus, { readonly label: string; readonly tone: Tone; readonly meaning?: string }>
> = {
  ok: toStatusTexts('ok', 'good'),
  failed: toStatusTexts('failed', 'bad'),
  cancelled: toStatusTexts('cancelled', 'caution'),
  interrupted: {
    get label() {
      return generationListMessages().statuses.interrupted;
    },
    tone: 'bad',
    get meaning() {
      return generationListMessages().interruptedMeaning;
    },
  },
};

function toStatusTexts(status: GenerationStatus, tone: Tone) {
  return {
    get label() {
      return generationListMessages().statuses[status];
    },
    tone,
  };
}

export const isStatus = (text: string): boolean => Object.hasOwn(GENERATION_STATUSES, text);

export function StatusBadge({ status }: { status: GenerationStatus }) {
  const { label, tone, meaning } = GENERATION_STATUSES[status];
  return (
    <Badge tone={tone} {...(meaning !== undefined && { title: meaning })}>
      {label}
    </Badge>
  );
}

const MARKS = { failed: CircleX, cancelled: CircleSlash, interrupted: Unplug } as const;
const COLORS = { failed: 'text-bad', cancelled: 'text-caution', interrupted: 'text-bad' } as const;

/** The same where there is no room for a word. */
export function StatusMark({ status }: { status: Exclude<GenerationStatus, 'ok'> }) {
  const { label, meaning } = GENERATION_STATUSES[status];
  const Mark = MARKS[status];
  return (
    <span className={`shrink-0 ${COLORS[status]}`} title={meaning ?? label}>
      <Mark size={14} aria-hidden="true" />
      <span className="sr-only">{label}</span>
    </span>
  );
}

type Ending = Pick<Generation, 'cancelled' | 'finish_reason' | 'interrupted'>;

/** The status of a record, as the gateway puts it into the rows of lists. */
export function toStatus({ cancelled, interrupted, finish_reason: reason }: Ending): GenerationStatus {
  if (interrupted === true) return 'interrupted';
  return cancelled === true ? 'cancelled' : reason === 'error' ? 'failed' : 'ok';
}
