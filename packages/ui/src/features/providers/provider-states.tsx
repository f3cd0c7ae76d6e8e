import type { EndpointExplanation, ModelEndpoint, ProviderSetup, ProviderStateList } from '@model-gateway/core/wire';

import { Badge, type Tone } from '../../parts/badge.tsx';
import { describePast, toPastState } from './describe-history.ts';
import type { ProviderPast } from './provider-queries.ts';

type ProviderHealth = ProviderStateList['data'][number]['health'];

/** The state of an endpoint, as the list of providers counts it. */
export type EndpointState = keyof ProviderHealth['endpoints'];

/** The words for states of endpoints, in the order in which they are listed. */
export const ENDPOINT_STATES: Readonly<
  Record<EndpointState, { readonly label: string; readonly meaning: string; readonly tone: Tone; readonly bar: string }>
> = {
  steady: { label: 'Steady', meaning: 'respond normally', tone: 'good', bar: 'bg-good' },
  unstable: {
    label: 'Unstable',
    meaning: 'fail occasionally and are tried after others',
    tone: 'caution',
    bar: 'bg-caution',
  },
  resting: { label: 'Resting', meaning: 'are rate limited (Retry-After)', tone: 'caution', bar: 'bg-caution' },
  failing: {
    label: 'Failing',
    meaning: 'have only failed calls in the last half hour',
    tone: 'bad',
    bar: 'bg-bad',
  },
  half_open: {
    label: 'On trial',
    meaning: 'receive single probe calls after repeated failures',
    tone: 'caution',
    bar: 'bg-caution',
  },
  open: {
    label: 'Shut off',
    meaning: 'failed repeatedly; no calls are sent for now',
    tone: 'bad',
    bar: 'bg-bad',
  },
  unused: { label: 'Not called yet', meaning: 'have no calls yet', tone: 'neutral', bar: 'bg-line-strong' },
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

export function EndpointStateBadge({ state }: { state: EndpointState }) {
  const { label, meaning, tone } = ENDPOINT_STATES[state];
  return (
    <Badge tone={tone} title={`Endpoints like this ${meaning}`}>
      {label}
    </Badge>
  );
}

/** The words for the state of a provider, from all of its endpoints. */
export const PROVIDER_STATES: Readonly<
  Record<ProviderHealth['status'], { readonly label: string; readonly tone: Tone }>
> = {
  ok: { label: 'ok', tone: 'good' },
  degraded: { label: 'degraded', tone: 'caution' },
  down: { label: 'down', tone: 'bad' },
  unknown: { label: 'not called yet', tone: 'neutral' },
};

interface ProviderStateBadgeProps {
  /** Absent where it is not called. */
  readonly health: ProviderHealth | undefined;
  /** How it was set up. */
  readonly setup?: ProviderSetup | undefined;
  /** Says how it stood before the gateway started, where it has not been called since. */
  readonly past?: ProviderPast | undefined;
}

/** How a provider stands; where it is not called, why. */
export function ProviderStateBadge({ health, setup, past }: ProviderStateBadgeProps) {
  if (health === undefined) return setup === undefined ? null : <SetupStateBadge setup={setup} />;
  const { status } = health;
  const before = status === 'unknown' && past !== undefined ? toPastState(past) : null;
  if (before !== null && past !== undefined) {
    const { label, tone } = PROVIDER_STATES[before];
    return (
      <Badge tone={tone} title={`Not called since the gateway started. ${describePast(past)}.`}>
        was {label}
      </Badge>
    );
  }
  const { label, tone } = PROVIDER_STATES[status];
  return <Badge tone={tone}>{label}</Badge>;
}

/** The words for how a provider that was set up stands; those that are not ready are not called. */
export const SETUP_STATES: Readonly<
  Record<Exclude<ProviderSetup['status'], 'ready'>, { readonly label: string; readonly tone: Tone }>
> = {
  off: { label: 'off', tone: 'neutral' },
  locked: { label: 'locked', tone: 'bad' },
  failed: { label: 'failed', tone: 'bad' },
  shadowed: { label: 'shadowed', tone: 'caution' },
};

function SetupStateBadge({ setup: { status, problem } }: { setup: ProviderSetup }) {
  if (status === 'ready') return <Badge tone="good">ready</Badge>;
  const { label, tone } = SETUP_STATES[status];
  return (
    <Badge tone={tone} {...(problem !== null && { title: problem })}>
      {label}
    </Badge>
  );
}
