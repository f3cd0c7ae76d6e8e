import type { Mode } from '@model-gateway/ui/desktop-bridge';

import type { GatewayFigures, GatewayState } from '../../shared/gateway-messages.ts';

const MODE_NOTES: Readonly<Record<Mode, string>> = { live: '', replay: ' (replay only)', record: ' (recording)' };

/** One line, with the port in it. */
export function describeState(state: GatewayState, mode: Mode): string {
  switch (state.phase) {
    case 'starting':
      return 'Starting';
    case 'listening':
      return `Running on ${new URL(state.url).host}${state.isDemo && mode !== 'replay' ? ' (demo)' : MODE_NOTES[mode]}`;
    case 'paused':
      return 'Paused';
    case 'not-listening':
      return `Not listening: port ${state.port} ${state.kind === 'taken' ? 'is taken' : 'cannot be opened'}`;
    case 'failed':
      return 'Stopped by an error';
  }
}

/** `3 active · 128 today · $0.42` */
export function describeFigures({ openCalls, today }: GatewayFigures): string {
  return `${openCalls} active · ${today.requests} today · ${formatUsd(today.costUsd)}`;
}

/** In cents; below one cent with four digits. */
function formatUsd(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? { maximumSignificantDigits: 4 } : {};
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', ...digits }).format(usd);
}
