import type { Health, Trouble } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import type { DesktopInfo } from '../desktop-bridge.ts';
import { useDesktopInfo } from './desktop.ts';
import { appMessages } from './messages.ts';

/** How the gateway is, in words that are shown beside the mark of its tone. */
export interface GatewayState {
  readonly tone: 'good' | 'caution' | 'bad' | 'unknown';
  /** `Running`, `Database unavailable`, … */
  readonly word: string;
  /** What that means for requests; null if the word is enough. */
  readonly effect: string | null;
}

interface StateFacts {
  /** Undefined until the gateway has reported it. */
  readonly health: Health | undefined;
  readonly isError: boolean;
  /** State of the port as the desktop app reports it; the page itself works without it. */
  readonly phase: DesktopInfo['state']['phase'] | undefined;
}

const TONES: Readonly<Record<Trouble, GatewayState['tone']>> = {
  closing: 'caution',
  store_not_ready: 'bad',
  store_away: 'caution',
  shared_away: 'caution',
  unrecorded: 'caution',
};

/** Puts into words what is known of the gateway. */
export function toGatewayState({ health, isError, phase }: StateFacts): GatewayState {
  const { states, troubles } = appMessages();
  if (isError) return { tone: 'bad', word: states.unreachable, effect: null };
  if (phase !== undefined && phase !== 'listening') return { tone: 'caution', word: states[phase], effect: null };
  if (health === undefined) return { tone: 'unknown', word: states.checking, effect: null };
  if (health.trouble !== undefined) return { tone: TONES[health.trouble], ...troubles[health.trouble] };
  return { tone: 'good', word: states.running, effect: null };
}

/** The state in one line: `Database unavailable · requests continue`. */
export const toStateText = ({ word, effect }: GatewayState): string => (effect === null ? word : `${word} · ${effect}`);

/** How the gateway is, wherever it is shown. */
export function useGatewayState(): GatewayState {
  const { data: health, isError } = useQuery(healthQuery);
  const phase = useDesktopInfo()?.state.phase;
  return toGatewayState({ health, isError, phase });
}
