import type { Generation } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import { toFirstTokenMs, toSpeed } from '../../../features/generations/list/list-row.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration, formatSpeed, formatTokens } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Facts } from '../../../parts/facts.tsx';

export function TimingFacts({ generation }: { generation: Generation }) {
  const speed = toSpeed(generation);
  return (
    <Facts
      facts={[
        ['Began', formatFull(generation.created_at)],
        ['First token after', formatDuration(toFirstTokenMs(generation))],
        ['Asked until the end', formatDuration(generation.generation_time)],
        ['Checks before', formatDuration(generation.moderation_latency)],
        ['Speed', formatSpeed(speed)],
        ['Streamed', generation.streamed === null ? '—' : generation.streamed ? 'yes' : 'no'],
        [
          'Session',
          generation.session_id === null ? (
            '—'
          ) : (
            <>
              {generation.session_id}{' '}
              <Link
                to="/generations"
                search={{ session: generation.session_id, open: generation.id }}
                className="whitespace-nowrap text-accent underline"
              >
                All calls of this session
              </Link>{' '}
              <Link
                to="/generations/sessions/$id"
                params={{ id: generation.session_id }}
                className="whitespace-nowrap text-accent underline"
              >
                As a thread
              </Link>
            </>
          ),
        ],
        ['User agent', generation.user_agent ?? '—'],
        ['Region', toRegionText(generation)],
      ]}
    />
  );
}

/** The region of the host that was called, with its name in the configuration where that is another. */
function toRegionText({ data_region: region, called_region: name = region }: Generation): string {
  return name === region ? region : `${region} (${name})`;
}

export function UsageFacts({ generation }: { generation: Generation }) {
  return (
    <Facts
      facts={[
        ['Prompt', formatTokens(generation.tokens_prompt)],
        ['Answer', formatTokens(generation.tokens_completion)],
        ['of which reasoning', formatCount(generation.native_tokens_reasoning)],
        ['Prompt from the cache', formatCount(generation.native_tokens_cached)],
        [
          'By the provider’s count',
          (generation.native_tokens_prompt ?? generation.native_tokens_completion) === null
            ? '—'
            : `${formatCount(generation.native_tokens_prompt)} in, ${formatCount(generation.native_tokens_completion)} out`,
        ],
        ['Cost', generation.cost_known ? formatUsd(generation.total_cost) : 'unknown: the model has no price'],
        ['Paid by', generation.is_byok ? 'the caller’s own provider key' : 'the account'],
        ['Counts', toCountsText(generation)],
        ['Finish reason', `${generation.finish_reason ?? '—'} (${generation.native_finish_reason ?? '—'})`],
        ['Service tier', generation.service_tier ?? '—'],
      ]}
    />
  );
}

function toCountsText({
  usage_estimated: isEstimated,
  tokens_prompt: prompt,
  tokens_completion: completion,
}: Generation) {
  if (isEstimated) return 'estimated, because the provider reported none';
  return (prompt ?? completion) === null ? 'none' : 'reported by the provider';
}
