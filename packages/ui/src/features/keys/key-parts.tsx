import type { AnyKey } from '@model-gateway/core/wire';

import { formatUsd } from '../../format/money.ts';
import { Badge } from '../../parts/badge.tsx';
import { classNames } from '../../parts/class-names.ts';
import { formMessages } from '../form/messages.ts';
import { keyPartMessages } from './messages.ts';

type Dated = Pick<AnyKey, 'disabled' | 'expires_at'>;

/** Whether calls with it are accepted. */
const stateOf = ({ disabled, expires_at: end }: Dated): 'disabled' | 'expired' | 'active' => {
  if (disabled) return 'disabled';
  return end !== null && Date.parse(end) <= Date.now() ? 'expired' : 'active';
};

const STATE_TONES = { disabled: 'caution', expired: 'bad', active: 'good' } as const;

export function KeyState({ state }: { state: Dated }) {
  const name = stateOf(state);
  return <Badge tone={STATE_TONES[name]}>{keyPartMessages()[name]}</Badge>;
}

/** Its state, where that is worth a word. */
export const KeyTrouble = ({ state }: { state: Dated }) =>
  stateOf(state) === 'active' ? null : <KeyState state={state} />;

export function KeyKind({ management }: Pick<AnyKey, 'management'>) {
  const t = keyPartMessages();
  return <Badge tone={management ? 'accent' : 'neutral'}>{management ? t.management : t.api}</Badge>;
}

/** The end of a key's text, by which people tell their keys apart: all begin alike. Nothing of one whose text is unknown. */
export function toKeyEnd({ label, source }: Pick<AnyKey, 'label' | 'source'>): string {
  const end = label.split('...')[1];
  return source === 'config' || end === undefined ? '' : `…${end}`;
}

/** Marks what the configuration alone can change. */
export function ConfigBadge() {
  const t = keyPartMessages();
  return <Badge title={t.configMeaning}>{t.fromConfig}</Badge>;
}

type Limited = Pick<
  AnyKey,
  | 'limit_reset'
  | 'include_byok_in_limit'
  | 'usage'
  | 'usage_daily'
  | 'usage_weekly'
  | 'usage_monthly'
  | 'byok_usage'
  | 'byok_usage_daily'
  | 'byok_usage_weekly'
  | 'byok_usage_monthly'
>;

/** What counts towards the limit of a key in its period. That may be more than the limit: it can be lowered later. */
export function spentOfLimit(key: Limited): number {
  const { limit_reset: reset, include_byok_in_limit: countsByok } = key;
  const direct = reset === null ? key.byok_usage : key[`byok_usage_${reset}`];
  return (reset === null ? key.usage : key[`usage_${reset}`]) + (countsByok ? direct : 0);
}

/** The limit of a key at the moment, with what it is raised by; null for none. */
export const limitOf = ({ limit, limit_raise: raise }: Pick<AnyKey, 'limit' | 'limit_raise'>): number | null =>
  limit === null ? null : limit + (raise?.add_usd ?? 0);

interface LimitBarProps {
  readonly limit: number;
  readonly spent: number;
  readonly reset: 'daily' | 'weekly' | 'monthly' | null;
}

/** How much of a limit is spent. Its colour warns from three quarters on. */
export function LimitBar({ limit, spent, reset }: LimitBarProps) {
  const share = limit === 0 ? 100 : Math.min(100, Math.max(0, (spent / limit) * 100));
  const period = formMessages().periods[reset ?? 'total'];
  const color = share >= 100 ? 'bg-bad' : share >= 75 ? 'bg-caution' : 'bg-accent';
  return (
    <span
      className="figures flex min-w-0 items-center gap-2 text-xs"
      title={`${keyPartMessages().spentOf(formatUsd(spent), formatUsd(limit))}, ${period}`}
    >
      <span aria-hidden="true" className="h-1.5 w-14 shrink-0 overflow-hidden rounded-full bg-raised">
        <span className={classNames('block h-full forced-color-adjust-none', color)} style={{ width: `${share}%` }} />
      </span>
      <span className="truncate">
        {formatUsd(spent)} / {formatUsd(limit)} <span className="text-ink-faint">{period}</span>
      </span>
    </span>
  );
}
