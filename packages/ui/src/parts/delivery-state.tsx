import type { WebhookDelivery } from '@model-gateway/core/wire';

import { Badge, type Tone } from './badge.tsx';

type DeliveryState = WebhookDelivery['state'];

/** The words for what became of a delivery, to a webhook as to a destination. */
export const DELIVERY_STATES: Readonly<Record<DeliveryState, { readonly label: string; readonly tone: Tone }>> = {
  waiting: { label: 'waiting', tone: 'caution' },
  delivered: { label: 'delivered', tone: 'good' },
  failed: { label: 'given up', tone: 'bad' },
};

export function DeliveryStateBadge({ state }: { state: DeliveryState }) {
  const { label, tone } = DELIVERY_STATES[state];
  return <Badge tone={tone}>{label}</Badge>;
}

/** Choices of a filter, one for each of these states. */
export function DeliveryStateOptions({ states }: { states: readonly DeliveryState[] }) {
  return states.map((state) => (
    <option key={state} value={state}>
      {DELIVERY_STATES[state].label}
    </option>
  ));
}
