import type { GuardrailHitList } from '@model-gateway/core/wire';

import { formatFull, formatMoment } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { EFFECTS } from './effects.ts';
import { toShortRule } from './to-short-rule.ts';

/** The latest calls that were refused; no others tell of them, because they have made no generation. */
export function RefusedCalls({ refusals }: { refusals: NonNullable<GuardrailHitList['refusals']> }) {
  if (refusals.length === 0) return null;
  return (
    <section aria-label="Refused calls">
      <h3 className="text-sm font-semibold">Latest refused calls</h3>
      <p className="mb-1 text-xs text-ink-faint">
        Refused before any provider was asked, so nothing of them is stored, nor among the generations.
      </p>
      <ul className="flex flex-col">
        {refusals.map(({ at, effect, rule, key_name: keyName, key_hash: hash, model }, place) => (
          <li
            key={`${at} ${place}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line/60 py-1.5 text-sm"
          >
            <time dateTime={at} title={formatFull(at)} className="figures text-ink-faint">
              {formatMoment(at)}
            </time>
            <span className="min-w-24 flex-1 truncate">{keyName ?? hash?.slice(0, 8) ?? '—'}</span>
            {model !== null && <span className="max-w-48 truncate text-ink-soft">{model}</span>}
            <Badge tone="bad" title={rule}>
              {EFFECTS[effect].label}: {toShortRule(rule)}
            </Badge>
          </li>
        ))}
      </ul>
    </section>
  );
}
