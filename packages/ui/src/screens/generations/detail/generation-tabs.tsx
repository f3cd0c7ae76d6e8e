import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';

import { may } from '../../../api/session.ts';
import { useShortcut } from '../../../app/shortcuts.ts';
import { generationQuery } from '../../../features/generations/content/generation-queries.ts';
import { StatusBadge, toStatus } from '../../../features/generations/list/generation-status.tsx';
import { toFirstTokenMs } from '../../../features/generations/list/list-row.ts';
import { formatUsdExactly } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatMoment } from '../../../format/time.ts';
import { Tabs } from '../../../parts/controls/tabs.tsx';
import { NotLoaded } from '../../../parts/messages/loaded.tsx';
import { JsonTree } from '../../../parts/text/json-tree.tsx';
import { Moment } from '../../../parts/text/moment.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { WithContent } from '../content/with-content.tsx';
import { UsageAndCost } from '../cost/usage-and-cost.tsx';
import { Remarks, ReviewButtons } from '../review/review.tsx';
import { RunningDetail, useRunningCall } from '../running/running-detail.tsx';
import { type TimelinePane, TimelineTab } from '../timeline/timeline-tab.tsx';
import { Exchange } from './exchange.tsx';
import { detailMessages } from './messages.ts';

const RECORDED_CHECK_MS = 500;

interface GenerationTabsProps {
  readonly id: string;
  /** From the address; undefined for the first. */
  readonly tab: string | undefined;
  readonly onTab: (tab: string | undefined) => void;
}

/**
 * Everything known of a request, by subject. The subject is part of the address, and stays when another request takes
 * its place.
 */
export function GenerationTabs({ id, tab: named, onTab }: GenerationTabsProps) {
  const t = detailMessages().tabs;
  const { tab, pane: namedPane } = toTab(named);
  const [lastPane, setLastPane] = useState(namedPane);
  // The request whose note is being written.
  const [noted, setNoted] = useState<string | null>(null);
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
  useShortcut({ keys: ']', label: t.next, group: t.thisScreen }, step(1));
  useShortcut({ keys: '[', label: t.previous, group: t.thisScreen }, step(-1));
  if (generation === undefined && running.call !== undefined)
    return <RunningDetail call={running.call} keyName={running.keyName} />;
  const notRecorded = running.hasRun ? null : error;
  if (generation === undefined || notRecorded !== null)
    return <NotLoaded what={t.what} failure={t.notLoaded} query={{ ...query, error: notRecorded }} />;
  const contents: Record<TabName, { readonly label: string; readonly content: () => ReactNode }> = {
    timeline: {
      label: t.timeline,
      content: () => <TimelineTab generation={generation} pane={namedPane} onPane={showTimeline} />,
    },
    exchange: {
      label: t.exchange,
      content: () => <WithContent id={id}>{(content) => <Exchange key={id} id={id} content={content} />}</WithContent>,
    },
    usage: {
      label: t.usage,
      content: () => <UsageAndCost generation={generation} />,
    },
    raw: {
      label: t.raw,
      content: () => (
        <div className="flex h-full flex-col">
          <JsonTree value={generation} label={t.record} />
        </div>
      ),
    },
  };
  return (
    <>
      <Summary generation={generation} onNote={() => setNoted(noted === id ? null : id)} />
      <Remarks key={id} generation={generation} isEditing={noted === id} onClose={() => setNoted(null)} />
      <Tabs
        label={t.label}
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

/** A model that stopped by itself is what one expects. */
const USUAL_REASONS: ReadonlySet<string> = new Set(['stop', 'error']);

/** The facts of a request on a line, those that are nothing unusual left out. */
function Summary({ generation, onNote }: { generation: Generation; onNote: () => void }) {
  const t = detailMessages().summary;
  const { finish_reason: reason, tokens_prompt: prompt, tokens_completion: completion } = generation;
  const cached = generation.native_tokens_cached ?? 0;
  const firstTokenMs = toFirstTokenMs(generation);
  const status = toStatus(generation);
  return (
    <div className="figures flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-0.5 text-sm text-ink-soft">
      {status !== 'ok' && <StatusBadge status={status} />}
      {generation.provider_name !== null && (
        <span>
          {t.via(showControls(generation.provider_name))}
          {generation.provider_key !== undefined && t.withKey(showControls(generation.provider_key))}
        </span>
      )}
      <span className="font-medium text-ink">
        {generation.cost_known ? formatUsdExactly(generation.total_cost) : t.costUnknown}
      </span>
      {(prompt ?? completion) !== null && (
        <span>
          {t.tokens(formatCount(prompt), formatCount(completion))}
          {generation.usage_estimated && t.estimated}
          {cached > 0 && t.cached(formatCount(cached))}
        </span>
      )}
      <span>
        {formatDuration(generation.generation_time)}
        {firstTokenMs !== null && t.firstToken(formatDuration(firstTokenMs))}
      </span>
      {generation.routing_rule !== undefined && (
        <span>
          {t.rule(showControls(generation.routing_rule))}
          {generation.requested_model !== undefined && t.requested(showControls(generation.requested_model))}
        </span>
      )}
      {generation.prompt_id !== undefined && (
        <span>{t.prompt(generation.prompt_id, generation.prompt_version ?? 1)}</span>
      )}
      {generation.preset_slug !== undefined && (
        <span>{t.preset(generation.preset_slug, generation.preset_version ?? 1)}</span>
      )}
      {generation.cancelled_by === 'operator' && <span>{t.byOperator}</span>}
      {reason !== null && !USUAL_REASONS.has(reason) && <span>{t.finishReason(showControls(reason))}</span>}
      <Moment at={generation.created_at} className="text-ink-faint">
        {formatMoment(generation.created_at)}
      </Moment>
      <span className="flex-1" />
      {may('reviewGeneration') && <ReviewButtons generation={generation} onNote={onNote} />}
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
