import type { Mode } from '@model-gateway/ui/desktop-bridge';

import type { GatewayFigures, GatewayState } from '../../shared/gateway-messages.ts';
import { currentLanguage, texts } from '../texts.ts';

/** One line, with the port in it. */
export function describeState(state: GatewayState, mode: Mode): string {
  const words = texts().state;
  switch (state.phase) {
    case 'starting':
      return words.starting;
    case 'listening':
      return describeListening(new URL(state.url).host, state.isDemo && mode !== 'replay' ? 'demo' : mode);
    case 'paused':
      return words.paused;
    case 'not-listening':
      return state.kind === 'taken' ? words.portTaken(state.port) : words.portClosed(state.port);
    case 'failed':
      return words.failed;
  }
}

function describeListening(host: string, mode: Mode | 'demo'): string {
  const { running, runningDemo, runningReplay, runningRecord } = texts().state;
  return { live: running, demo: runningDemo, replay: runningReplay, record: runningRecord }[mode](host);
}

/** `3 active · 128 today · $0.42` */
export function describeFigures({ openCalls, today }: GatewayFigures): string {
  return texts().figures(openCalls, today.requests, formatUsd(today.costUsd));
}

/** In cents; below one cent with four digits. */
function formatUsd(usd: number): string {
  const digits = usd > 0 && usd < 0.01 ? { maximumSignificantDigits: 4 } : {};
  const language = { en: 'en-US', de: 'de-DE' }[currentLanguage()];
  return new Intl.NumberFormat(language, { style: 'currency', currency: 'USD', ...digits }).format(usd);
}
