import type { AnyKey } from '@model-gateway/core/wire';

import { formatUsd } from '../../format/money.ts';
import { Badge } from '../../parts/badge.tsx';

type Dated = Pick<AnyKey, 'disabled' | 'expires_at'>;

export function KeyState({ state }: { state: Dated }) {
  if (state.disabled) return <Badge tone="caution">disabled</Badge>;
  const isExpired = state.expires_at !== null && Date.parse(state.expires_at) <= Date.now();
  return isExpired ? <Badge tone="bad">expired</Badge> : <Badge tone="good">active</Badge>;
}

export function KeyKind({ management }: Pick<AnyKey, 'management'>) {
  return <Badge tone={management ? 'accent' : 'neutral'}>{management ? 'management' : 'API'}</Badge>;
}

/** What it means that a key is from the configuration. */
export const CONFIG_MEANING = 'Set in the configuration file, the environment or the demo. Change it there.';

/** Marks what the configuration alone can change. */
export function ConfigBadge() {
  return <Badge title={CONFIG_MEANING}>from the configuration</Badge>;
}

export function LimitBar({ limit, left, reset }: { limit: number; left: number | null; reset: string | null }) {
  const spent = limit - (left ?? limit);
  const share = limit === 0 ? 100 : Math.min(100, Math.max(0, (spent / limit) * 100));
  return (
    <span
      className="figures flex items-center gap-2 text-xs"
      title={`${formatUsd(spent)} of ${formatUsd(limit)}${reset === null ? '' : `, ${reset}`}`}
    >
      <span aria-hidden="true" className="h-1.5 w-14 overflow-hidden rounded-full bg-raised">
        <span className={`block h-full ${share >= 90 ? 'bg-bad' : 'bg-accent'}`} style={{ width: `${share}%` }} />
      </span>
      {formatUsd(spent)} / {formatUsd(limit)}
    </span>
  );
}
