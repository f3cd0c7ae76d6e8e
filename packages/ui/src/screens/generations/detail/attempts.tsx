import type { Generation } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import { formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import { toBars } from './attempt-bars.ts';

/** Who was asked, in order, how long each took, and how it ended. */
export function Attempts({ generation }: { generation: Generation }) {
  const attempts = generation.provider_responses ?? [];
  if (attempts.length === 0) {
    return (
      <EmptyState title="No provider was called">
        The call ended before any provider was asked, for instance because a guardrail blocked it.
      </EmptyState>
    );
  }
  const { bars, totalMs } = toBars(generation);
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <ol className="flex flex-col gap-2">
        {attempts.map((attempt, at) => {
          const bar = bars[at];
          const isGood = attempt.status !== null && attempt.status < 400;
          const hasBroken = isGood && at === attempts.length - 1 && generation.finish_reason === 'error';
          return (
            <li key={attempt.endpoint_id ?? at} className="rounded-lg border border-line p-3">
              <div className="mb-2 flex flex-wrap items-center gap-2 text-sm">
                <span className="text-ink-faint">{at + 1}.</span>
                <span className="font-medium">{attempt.provider_name ?? 'unnamed'}</span>
                <Badge tone={isGood ? 'good' : 'bad'}>{attempt.status ?? 'no answer'}</Badge>
                {hasBroken && <Badge tone="bad">then broke off</Badge>}
                {attempt.is_byok === true && <Badge>own key</Badge>}
                <span className="flex-1" />
                <span className="figures text-xs text-ink-faint">
                  {isGood ? 'first token after' : 'failed after'} {formatDuration(attempt.latency)}
                </span>
              </div>
              {bar !== undefined && (
                <div aria-hidden="true" className="relative h-3 rounded bg-raised">
                  <div
                    className={`absolute inset-y-0 rounded-l ${isGood ? 'bg-accent/45' : 'rounded-r bg-bad/70'}`}
                    style={{ left: `${bar.start}%`, width: `${bar.waited}%` }}
                  />
                  <div
                    className="absolute inset-y-0 rounded-r bg-accent"
                    style={{ left: `${bar.start + bar.waited}%`, width: `${bar.streamed}%` }}
                  />
                </div>
              )}
              <p className="mt-2 font-mono text-xs text-ink-faint">
                {[attempt.model_permaslug, attempt.id].filter(Boolean).join(' · ') || 'no id of the provider’s own'}
              </p>
            </li>
          );
        })}
      </ol>
      <p className="text-xs text-ink-faint">
        {formatDuration(totalMs)} in all. Light: until the first token; full: the answer arriving; red: a failed
        attempt.
        {generation.router !== null && ` Routed by ${generation.router}.`}{' '}
        <Link to="/models" search={{ open: generation.model }} className="text-accent underline">
          How the model would be routed now
        </Link>
      </p>
    </div>
  );
}
