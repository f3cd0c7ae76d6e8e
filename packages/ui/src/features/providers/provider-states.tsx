import type { EndpointExplanation, ModelEndpoint, ProviderStateList } from '@model-gateway/core/wire';

import { Badge, type Tone } from '../../parts/badge.tsx';
import { describePast, type ProviderStatus, toProviderStatus } from './describe-history.ts';
import { providerMessages } from './messages.ts';
import type { ProviderRow } from './provider-queries.ts';

type ProviderHealth = ProviderStateList['data'][number]['health'];

/** The state of an endpoint, as the list of providers counts it. */
export type EndpointState = keyof ProviderHealth['endpoints'];

/** The looks of states of endpoints, in the order in which they are listed. */
export const ENDPOINT_STATES: Readonly<Record<EndpointState, { readonly tone: Tone; readonly bar: string }>> = {
  steady: { tone: 'good', bar: 'bg-good' },
  unstable: { tone: 'caution', bar: 'bg-caution' },
  resting: { tone: 'caution', bar: 'bg-caution' },
  failing: { tone: 'bad', bar: 'bg-bad' },
  half_open: { tone: 'caution', bar: 'bg-caution' },
  open: { tone: 'bad', bar: 'bg-bad' },
  unused: { tone: 'neutral', bar: 'bg-line-strong' },
};

const STATE_OF_STATUS: Readonly<Record<number, EndpointState>> = {
  [-1]: 'unstable',
  [-2]: 'half_open',
  [-3]: 'resting',
  [-4]: 'failing',
  [-5]: 'open',
};

/** The state of an endpoint of a model, or of an explanation. */
export function toEndpointState({
  status,
  uptime_last_1d: uptime,
}: Pick<ModelEndpoint | EndpointExplanation['health'], 'status' | 'uptime_last_1d'>): EndpointState {
  return STATE_OF_STATUS[status] ?? (uptime === null ? 'unused' : 'steady');
}

/** Says of an endpoint what is not as it should be. */
export function EndpointStateBadge({ state }: { state: EndpointState }) {
  if (state === 'steady') return null;
  const { label, meaning } = providerMessages().endpoints[state];
  return (
    <Badge tone={ENDPOINT_STATES[state].tone} title={meaning}>
      {label}
    </Badge>
  );
}

/** How a provider stands, or why it is not called. */
export type RowStatus = ProviderStatus | 'off' | 'locked' | 'failed' | 'shadowed';

/** All of them, in the order of a filter. */
export const ROW_STATUSES: readonly RowStatus[] = [
  'ok',
  'degraded',
  'down',
  'unknown',
  'off',
  'locked',
  'failed',
  'shadowed',
];

const TONES: Readonly<Record<RowStatus, Tone>> = {
  ok: 'good',
  degraded: 'caution',
  down: 'bad',
  unknown: 'neutral',
  off: 'neutral',
  locked: 'bad',
  failed: 'bad',
  shadowed: 'caution',
};

type StatusParts = Pick<ProviderRow, 'state' | 'setup' | 'past'>;

export function toRowStatus({ state, setup, past }: StatusParts): RowStatus {
  if (state !== undefined) return toProviderStatus(state.health.status, past).status;
  return setup === undefined || setup.status === 'ready' ? 'unknown' : setup.status;
}

/** How a provider stands, where it is not well; where it is not called, why. */
export function ProviderStatusBadge({ row }: { row: StatusParts }) {
  const t = providerMessages();
  const status = toRowStatus(row);
  if (status === 'ok' || status === 'unknown') return null;
  const { state, setup, past } = row;
  const title = state === undefined ? setup?.problem : past && explain(state.health.status, past);
  return (
    <Badge tone={TONES[status]} {...(title != null && { title })}>
      {t.status[status]}
    </Badge>
  );
}

function explain(now: ProviderStatus, past: NonNullable<ProviderRow['past']>): string {
  const t = providerMessages();
  return (toProviderStatus(now, past).isPast ? t.wasSo : t.now)(describePast(past));
}
