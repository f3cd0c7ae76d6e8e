import type { Health, Trouble } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { useDesktopInfo } from './desktop.ts';

/** How the gateway is, in words that are shown beside the mark of its tone. */
export interface GatewayState {
  readonly tone: 'good' | 'caution' | 'bad' | 'unknown';
  /** `Running`, `Database unavailable`, … */
  readonly word: string;
  /** What that means for calls; null if the word is enough. */
  readonly effect: string | null;
}

interface StateFacts {
  /** Undefined until the gateway has reported it. */
  readonly health: Health | undefined;
  readonly isError: boolean;
  /** State of the port as the desktop app reports it; the page itself works without it. */
  readonly phase: string | undefined;
}

const TROUBLES: Readonly<Record<Trouble, GatewayState>> = {
  closing: { tone: 'caution', word: 'Shutting down', effect: 'new calls are refused' },
  store_not_ready: { tone: 'bad', word: 'Not ready', effect: 'calls are refused' },
  store_away: { tone: 'caution', word: 'Database unavailable', effect: 'calls continue' },
  shared_away: { tone: 'caution', word: 'Redis unavailable', effect: 'limits are not shared' },
  unrecorded: { tone: 'caution', word: 'Degraded', effect: 'not every call was recorded' },
};

/** Puts into words what is known of the gateway. */
export function toGatewayState({ health, isError, phase }: StateFacts): GatewayState {
  if (isError) return { tone: 'bad', word: 'Unreachable', effect: null };
  if (phase !== undefined && phase !== 'listening') {
    const word = phase.replace('-', ' ');
    return { tone: 'caution', word: word.charAt(0).toUpperCase() + word.slice(1), effect: null };
  }
  if (health === undefined) return { tone: 'unknown', word: 'Checking', effect: null };
  if (health.trouble !== undefined) return TROUBLES[health.trouble];
  return { tone: 'good', word: 'Running', effect: null };
}

/** The state in one line: `Database away · calls go on`. */
export const toStateText = ({ word, effect }: GatewayState): string => (effect === null ? word : `${word} · ${effect}`);

/** How the gateway is, wherever it is shown. */
export function useGatewayState(): GatewayState {
  const { data: health, isError } = useQuery(healthQuery);
  const phase = useDesktopInfo()?.state.phase;
  return toGatewayState({ health, isError, phase });
}
