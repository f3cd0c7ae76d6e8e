import type { WebhookDelivery } from '@model-gateway/core/wire';
import type { ReactNode } from 'react';

import type { GatewayState } from '../app/gateway-state.ts';
import { classNames } from './class-names.ts';
import { partMessages } from './part-messages.ts';

const TONES = {
  neutral: 'bg-raised text-ink-soft',
  good: 'bg-good-soft text-good',
  caution: 'bg-caution-soft text-caution',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
} as const;

export type Tone = keyof typeof TONES;

/** A short word that labels an item. Its meaning is in the word; the colour only helps. */
export function Badge({ tone = 'neutral', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex items-center gap-1 rounded px-1.5 py-px text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

type DeliveryState = WebhookDelivery['state'];

const toStateWords = (state: DeliveryState, tone: Tone) => ({
  get label(): string {
    return partMessages().deliveries[state];
  },
  tone,
});

/** The words for what became of a delivery, to a webhook as to a destination. */
export const DELIVERY_STATES: Readonly<Record<DeliveryState, { readonly label: string; readonly tone: Tone }>> = {
  waiting: toStateWords('waiting', 'caution'),
  delivered: toStateWords('delivered', 'good'),
  failed: toStateWords('failed', 'bad'),
};

export function DeliveryStateBadge({ state }: { state: DeliveryState }) {
  const { label, tone } = DELIVERY_STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Choices of a filter, one for each of these states. */
export const toStateOptions = <State extends DeliveryState>(states: readonly State[]) =>
  states.map((state) => [state, DELIVERY_STATES[state].label] as const);

/** The shape differs too, for those to whom the colours look alike. */
const LOOKS: Readonly<Record<GatewayState['tone'], string>> = {
  good: 'rounded-full bg-good',
  caution: 'rotate-45 bg-caution',
  bad: 'rounded-none bg-bad',
  unknown: 'rounded-full bg-line-strong',
};

/** Stands before the words for a state. */
export function StateMark({ tone, className }: Pick<GatewayState, 'tone'> & { readonly className?: string }) {
  const look = classNames('inline-block size-2.5 shrink-0 forced-color-adjust-none', LOOKS[tone], className);
  return <span aria-hidden="true" className={look} />;
}
