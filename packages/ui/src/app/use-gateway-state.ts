import { useQuery } from '@tanstack/react-query';

import { healthQuery } from '../api/queries.ts';
import { useDesktopInfo } from './desktop.ts';
import { type GatewayState, toGatewayState } from './to-gateway-state.ts';

/** How the gateway is, wherever it is shown. */
export function useGatewayState(): GatewayState {
  const { data: health, isError } = useQuery(healthQuery);
  const phase = useDesktopInfo()?.state.phase;
  return toGatewayState({ health, isError, phase });
}
