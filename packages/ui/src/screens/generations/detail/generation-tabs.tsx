import type { Generation } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';

import { formatUsd } from '../../../format/money.ts';
import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { formatFull } from '../../../format/time.ts';
import { Tabs } from '../../../parts/controls/tabs.tsx';
import { ErrorPanel } from '../../../parts/messages/error-panel.tsx';
import { Loading } from '../../../parts/messages/states.tsx';
import { JsonTree } from '../../../parts/text/json-tree.tsx';
import { useShortcut } from '../../../shell/shortcuts.ts';
import { generationQuery } from '../content/generation-queries.ts';
import { WithContent } from '../content/with-content.tsx';
import { toFirstTokenMs } from '../first-token.ts';
import { StatusBadge, toStatus } from '../generation-status.tsx';
import { StreamTab } from '../replay/stream-tab.tsx';
import { Attempts } from './attempts.tsx';
import { Conversation } from './conversation.tsx';
import { Deliveries } from './deliveries.tsx';
import { GuardrailFindings, TimingFacts, UsageFacts } from './generation-facts.tsx';

const TABS = [
  'conversation',
  'attempts',
  'request',
  'response',
  'stream',
  'timing',
  'usage',
  'guardrails',
  'delivery',
  'raw',
] as const;
type TabName = (typeof TABS)[number];

/** Everything known of a generation, by subject. The subject stays when another generation takes its place. */
export function GenerationTabs({ id }: { id: string }) {
  const [tab, setTab] = useState<TabName>('conversation');
  const { data: generation, error, refetch } = useQuery(generationQuery(id));
  const step = (by: number) => () =>
    setTab(TABS[(TABS.indexOf(tab) + by + TABS.length) % TABS.length] ?? 'conversation');
  useShortcut({ keys: ']', label: 'Next tab', group: 'This screen' }, step(1));
  useShortcut({ keys: '[', label: 'Tab before', group: 'This screen' }, step(-1));
  if (error !== null) {
    return (
      <div className="p-4">
        <ErrorPanel error={error} title="The generation could not be loaded" onRetry={() => void refetch()} />
      </div>
    );
  }
  if (generation === undefined) return <Loading what="the generation" />;
  const stages = generation.pipeline?.length ?? 0;
  const contents: Record<TabName, { readonly label: ReactNode; readonly content: () => ReactNode }> = {
    conversation: {
      label: 'Conversation',
      content: () => <WithContent id={id}>{(content) => <Conversation content={content} />}</WithContent>,
    },
    attempts: {
      label: <Counted label="Attempts" count={generation.provider_responses?.length ?? 0} />,
      content: () => <Attempts generation={generation} />,
    },
    request: {
      label: 'Request',
      content: () => (
        <WithContent id={id}>{({ input }) => <JsonTree value={input} label="What was asked" />}</WithContent>
      ),
    },
    response: {
      label: 'Response',
      content: () => (
        <WithContent id={id}>
          {({ output, error: failure }) => (
            <JsonTree value={failure === null ? output : { output, error: failure }} label="What was answered" />
          )}
        </WithContent>
      ),
    },
    stream: {
      label: 'Stream',
      content: () => (
        <WithContent id={id}>{({ output }) => <StreamTab generation={generation} output={output} />}</WithContent>
      ),
    },
    timing: { label: 'Timing', content: () => <TimingFacts generation={generation} /> },
    usage: { label: 'Usage', content: () => <UsageFacts generation={generation} /> },
    guardrails: {
      label: <Counted label="Guardrails" count={stages} />,
      content: () => <GuardrailFindings generation={generation} />,
    },
    delivery: { label: 'Delivery', content: () => <Deliveries id={id} /> },
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
        label="About the generation"
        value={tab}
        onChange={(value) => setTab(value as TabName)}
        tabs={TABS.map((value) => {
          const { label, content } = contents[value];
          // What a tab shows of one generation is no state of another.
          return { value, label, content: () => <Fragment key={id}>{content()}</Fragment> };
        })}
      />
    </>
  );
}

function Counted({ label, count }: { label: string; count: number }) {
  return (
    <>
      {label}
      {count > 0 && <span className="ml-1 text-xs text-ink-faint">{count}</span>}
    </>
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
        <span className="font-medium">{generation.model}</span>
        {generation.provider_name !== null && <span className="text-ink-faint"> via {generation.provider_name}</span>}
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
      {reason !== null && reason !== 'error' && <span className="text-ink-faint">finish reason: {reason}</span>}
      <time dateTime={generation.created_at} className="text-ink-faint">
        {formatFull(generation.created_at)}
      </time>
    </div>
  );
}
