import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useState } from 'react';

import type { GenerationContent } from '../../../api/types.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { StatusBadge, toStatus } from '../../../features/generations/list/generation-status.tsx';
import { toFirstTokenMs, toSpeed } from '../../../features/generations/list/list-row.ts';
import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration, formatSpeed, formatTokens } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Tabs } from '../../../parts/controls/tabs.tsx';
import { Facts } from '../../../parts/facts.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { JsonTree } from '../../../parts/text/json-tree.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { WithContent } from '../content/with-content.tsx';
import { RunningDetail, useRunningCall } from '../running/running-detail.tsx';
import { type TimelinePane, TimelineTab } from '../timeline/timeline-tab.tsx';

const RECORDED_CHECK_MS = 500;

interface GenerationTabsProps {
  readonly id: string;
  /** From the address; undefined for the first. */
  readonly tab: string | undefined;
  readonly onTab: (tab: string | undefined) => void;
}

/**
 * Everything known of a generation, by subject. The subject is part of the address, and stays when another generation
 * takes its place.
 */
export function GenerationTabs({ id, tab: named, onTab }: GenerationTabsProps) {
  const { tab, pane: namedPane } = toTab(named);
  const [lastPane, setLastPane] = useState(namedPane);
  const running = useRunningCall(id);
  const query = useQuery({
    ...generationQuery(id),
    enabled: running.call === undefined,
    // It is recorded in a moment.
    refetchInterval: ({ state: { data } }) => (running.hasRun && data === undefined ? RECORDED_CHECK_MS : false),
  });
  const { data: generation, error } = query;
  const showTimeline = (next: TimelinePane): void => {
    setLastPane(next);
    onTab(next === 'stream' ? next : undefined);
  };
  const show = (next: TabName): void => (next === 'timeline' ? showTimeline(lastPane) : onTab(next));
  const step = (by: number) => () => show(TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? 'timeline');
  useShortcut({ keys: ']', label: 'Next tab', group: 'This screen' }, step(1));
  useShortcut({ keys: '[', label: 'Previous tab', group: 'This screen' }, step(-1));
  if (generation === undefined && running.call !== undefined)
    return <RunningDetail call={running.call} keyName={running.keyName} />;
  const notRecorded = running.hasRun ? null : error;
  if (generation === undefined || notRecorded !== null)
    return (
      <NotLoaded
        what="the generation"
        failure="The generation could not be loaded"
        query={{ ...query, error: notRecorded }}
      />
    );
  const contents: Record<TabName, { readonly label: string; readonly content: () => ReactNode }> = {
    timeline: {
      label: 'Timeline',
      content: () => <TimelineTab generation={generation} pane={namedPane} onPane={showTimeline} />,
    },
    exchange: {
      label: 'Request and response',
      content: () => <WithContent id={id}>{(content) => <Exchange content={content} />}</WithContent>,
    },
    usage: {
      label: 'Usage and cost',
      content: () => <UsageAndCost generation={generation} />,
    },
    raw: {
      label: 'Raw',
      content: () => (
        <div className="flex h-full flex-col">
          <JsonTree value={generation} label="The record" />
        </div>
      ),
    },
  };
  return (
    <>
      <Summary generation={generation} />
      <Tabs
        label="Generation"
        value={tab}
        onChange={(value) => show(value as TabName)}
        tabs={TABS.map((value) => {
          const { label, content } = contents[value];
          // What a tab shows of one generation is no state of another.
          return { value, label, content: () => <Fragment key={id}>{content()}</Fragment> };
        })}
      />
    </>
  );
}

/** What was asked above what was answered, or beside it. */
function Exchange({ content: { input, output, error } }: { content: GenerationContent }) {
  return (
    <div className="@container h-full">
      <div className="grid h-full grid-rows-2 divide-y divide-line @4xl:grid-cols-2 @4xl:grid-rows-1 @4xl:divide-x @4xl:divide-y-0">
        <section aria-label="Request" className="flex min-h-0 min-w-0 flex-col">
          <h2 className="px-4 pt-2 text-sm font-semibold">Request</h2>
          <JsonTree value={input} label="Request" />
        </section>
        <section aria-label="Response" className="flex min-h-0 min-w-0 flex-col">
          <h2 className="px-4 pt-2 text-sm font-semibold">Response</h2>
          <JsonTree value={error === null ? output : { output, error }} label="Response" />
        </section>
      </div>
    </div>
  );
}

function UsageAndCost({ generation }: { generation: Generation }) {
  return (
    <div className="scroll-thin @container h-full overflow-y-auto p-4">
      <div className="grid gap-x-8 gap-y-4 @4xl:max-w-5xl @4xl:grid-cols-2">
        <section aria-label="Usage and cost" className="flex flex-col gap-2">
          <h2 className="text-sm font-semibold">Usage and cost</h2>
          <UsageFacts generation={generation} />
        </section>
        <section aria-label="Times and origin" className="flex flex-col gap-2">
          <h2 className="text-sm font-semibold">Times and origin</h2>
          <TimingFacts generation={generation} />
        </section>
      </div>
    </div>
  );
}

function Summary({ generation }: { generation: Generation }) {
  const { finish_reason: reason, tokens_prompt: prompt, tokens_completion: completion } = generation;
  const cached = generation.native_tokens_cached ?? 0;
  const reasoning = generation.native_tokens_reasoning ?? 0;
  const firstTokenMs = toFirstTokenMs(generation);
  return (
    <div className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2 text-sm">
      <StatusBadge status={toStatus(generation)} />
      <span>
        <span className="font-medium">{showControls(generation.model)}</span>
        {generation.provider_name !== null && (
          <span className="text-ink-faint"> via {showControls(generation.provider_name)}</span>
        )}
      </span>
      <span className="font-medium">{generation.cost_known ? formatUsd(generation.total_cost) : 'cost unknown'}</span>
      {(prompt ?? completion) !== null && (
        <span className="text-ink-soft">
          {formatCount(prompt)} in{cached > 0 && ` (${formatCount(cached)} cached)`} / {formatCount(completion)} out
          {reasoning > 0 && ` (${formatCount(reasoning)} reasoning)`}
          {generation.usage_estimated && ', estimated'}
        </span>
      )}
      <span className="text-ink-soft">
        {formatDuration(generation.generation_time)}
        {firstTokenMs !== null && `, first token after ${formatDuration(firstTokenMs)}`}
      </span>
      {generation.routing_rule !== undefined && (
        <span className="text-ink-soft">
          by the rule {showControls(generation.routing_rule)}
          {generation.requested_model !== undefined && `, asked for ${showControls(generation.requested_model)}`}
        </span>
      )}
      {generation.cancelled_by === 'operator' && <span className="text-ink-soft">by the operator</span>}
      {reason !== null && reason !== 'error' && <span className="text-ink-faint">finish reason: {reason}</span>}
      <time dateTime={generation.created_at} className="text-ink-faint">
        {formatFull(generation.created_at)}
      </time>
    </div>
  );
}

const TABS = ['timeline', 'exchange', 'usage', 'raw'] as const;
type TabName = (typeof TABS)[number];

/** Tabs that there were once: what they showed is in these now, and links to them stay good. */
const FORMER: ReadonlyMap<string, TabName> = new Map<string, TabName>([
  ['story', 'timeline'],
  ['conversation', 'timeline'],
  ['attempts', 'timeline'],
  ['guardrails', 'timeline'],
  ['delivery', 'timeline'],
  ['stream', 'timeline'],
  ['request', 'exchange'],
  ['response', 'exchange'],
  ['timing', 'usage'],
]);

/** The tab that an address names, by its present name or a former one; the first for any other. */
export function toTab(named: string | undefined): { readonly tab: TabName; readonly pane: TimelinePane } {
  const tab = TABS.find((known) => known === named) ?? FORMER.get(named ?? '') ?? 'timeline';
  return { tab, pane: named === 'stream' ? 'stream' : 'conversation' };
}

function TimingFacts({ generation }: { generation: Generation }) {
  const speed = toSpeed(generation);
  return (
    <Facts
      facts={[
        ['Began', formatFull(generation.created_at)],
        ['Time to first token', formatDuration(toFirstTokenMs(generation))],
        ['Duration', formatDuration(generation.generation_time)],
        ['Pre-checks', formatDuration(generation.moderation_latency)],
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

function UsageFacts({ generation }: { generation: Generation }) {
  return (
    <Facts
      facts={[
        ['Prompt', formatTokens(generation.tokens_prompt)],
        ['Answer', formatTokens(generation.tokens_completion)],
        ['Reasoning tokens', formatCount(generation.native_tokens_reasoning)],
        ['Prompt from the cache', formatCount(generation.native_tokens_cached)],
        [
          'Counted by the provider',
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
