import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { useDesktopInfo } from './desktop.ts';

/** The word for how the gateway is, wherever it is shown: `running`, `unreachable`, `degraded`, `checking`, … */
export function useGatewayState(): string {
  const { data, isError } = useQuery(healthQuery);
  const desktop = useDesktopInfo();
  return toState({ health: data?.status, isError, phase: desktop?.state.phase });
}

interface StateFacts {
  readonly health: string | undefined;
  readonly isError: boolean;
  /** State of the port as the desktop app reports it; the page itself works without it. */
  readonly phase: string | undefined;
}

function toState({ health, isError, phase }: StateFacts): string {
  if (isError) return 'unreachable';
  if (phase !== undefined && phase !== 'listening') return phase.replace('-', ' ');
  if (health === undefined) return 'checking';
  return health === 'ok' ? 'running' : health;
}
