import type { Generation } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

import { cacheMessages } from '../../../features/generations/cost/cache-messages.ts';
import { toFirstTokenMs, toSpeed } from '../../../features/generations/list/list-row.ts';
import { formatCount, formatDuration, formatSpeed, formatTokens } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Facts } from '../../../parts/facts.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { CacheFacts } from './cache-facts.tsx';
import { CostTable } from './cost-table.tsx';
import { costMessages } from './messages.ts';

/** What a request used and cost, how long it took, and where it came from. */
export function UsageAndCost({ generation }: { generation: Generation }) {
  const t = costMessages();
  return (
    <div
      role="region"
      aria-label={t.label}
      tabIndex={0}
      className="scroll-thin @container h-full overflow-y-auto p-4 outline-offset-[-2px]"
    >
      <div className="grid items-start gap-4 @3xl:grid-cols-2 @6xl:grid-cols-3 @[100rem]:grid-cols-[repeat(auto-fit,minmax(20rem,1fr))]">
        <div className="flex min-w-0 flex-col gap-4 @3xl:row-span-2 @6xl:row-span-1 @[100rem]:contents">
          <Section title={t.cost}>
            <CostTable generation={generation} />
          </Section>
          {generation.api_type === 'completions' && (
            <Section title={cacheMessages().title}>
              <CacheFacts id={generation.id} />
            </Section>
          )}
        </div>
        <Section title={t.usage}>
          <UsageFacts generation={generation} />
        </Section>
        <Section title={t.timing}>
          <TimingFacts generation={generation} />
        </Section>
      </div>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="card flex min-w-0 flex-col gap-2 p-4">
      <h2 className="text-sm font-semibold">{title}</h2>
      {children}
    </section>
  );
}

/** The tokens of a request, who counted them, and who pays for them. */
export function UsageFacts({ generation }: { generation: Generation }) {
  const t = costMessages().facts;
  const { native_tokens_prompt: nativeIn, native_tokens_completion: nativeOut } = generation;
  return (
    <Facts
      facts={[
        [t.prompt, formatTokens(generation.tokens_prompt)],
        [t.completion, formatTokens(generation.tokens_completion)],
        [t.reasoning, formatCount(generation.native_tokens_reasoning)],
        [t.cached, formatCount(generation.native_tokens_cached)],
        [t.counted, (nativeIn ?? nativeOut) === null ? '—' : t.inOut(formatCount(nativeIn), formatCount(nativeOut))],
        [t.paidBy, generation.is_byok ? t.ownKey : t.account],
        [t.counts, toCountsText(generation)],
        [t.finishReason, `${generation.finish_reason ?? '—'} (${generation.native_finish_reason ?? '—'})`],
        [t.serviceTier, generation.service_tier ?? '—'],
      ]}
    />
  );
}

function toCountsText({
  usage_estimated: isEstimated,
  tokens_prompt: prompt,
  tokens_completion: completion,
}: Generation): string {
  const t = costMessages().facts;
  if (isEstimated) return t.estimated;
  return (prompt ?? completion) === null ? t.none : t.reported;
}

function TimingFacts({ generation }: { generation: Generation }) {
  const t = costMessages().facts;
  return (
    <Facts
      facts={[
        [t.began, formatFull(generation.created_at)],
        [t.firstToken, formatDuration(toFirstTokenMs(generation))],
        [t.duration, formatDuration(generation.generation_time)],
        [t.preChecks, formatDuration(generation.moderation_latency)],
        [t.speed, formatSpeed(toSpeed(generation))],
        [t.streamed, generation.streamed === null ? '—' : generation.streamed ? t.yes : t.no],
        [
          t.session,
          generation.session_id === null ? '—' : <SessionLinks generation={generation} id={generation.session_id} />,
        ],
        [t.userAgent, generation.user_agent === null ? '—' : showControls(generation.user_agent)],
        [t.region, toRegionText(generation)],
      ]}
    />
  );
}

function SessionLinks({ generation, id }: { generation: Generation; id: string }) {
  const t = costMessages().facts;
  return (
    <>
      {showControls(id)}{' '}
      <Link
        to="/generations/sessions/$id"
        params={{ id }}
        className="inline-block min-h-6 leading-6 whitespace-nowrap text-accent underline"
      >
        {t.asThread}
      </Link>{' '}
      <Link
        to="/generations"
        search={{ session: id, open: generation.id }}
        className="inline-block min-h-6 leading-6 whitespace-nowrap text-accent underline"
      >
        {t.requestsOfSession}
      </Link>
    </>
  );
}

/** The region of the host that was called, with its name in the configuration where that is another. */
function toRegionText({ data_region: region, called_region: name = region }: Generation): string {
  return name === region ? region : `${region} (${name})`;
}
