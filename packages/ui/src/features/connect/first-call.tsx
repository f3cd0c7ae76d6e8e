import type { RefusalBody } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';

import { formatUsd } from '../../format/money.ts';
import { formatDuration } from '../../format/quantity.ts';
import { formatMoment } from '../../format/time.ts';
import { Spinner } from '../../parts/controls/button.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import {
  describeRefusal,
  failureQuery,
  type FirstCall,
  latestCallQuery,
  latestRefusalQuery,
  type ToolKey,
} from './connect-queries.ts';
import { connectMessages } from './messages.tsx';

interface FirstCallProps {
  readonly made: ToolKey;
  readonly tool: string;
  readonly model: string;
  readonly baseUrl: string;
  /** Called once, when a call has succeeded. */
  readonly onSeen: () => void;
}

/** Waits for the first call of a key, and shows it, or why it was refused or failed. */
export function FirstCallCard({ made, tool, model, baseUrl, onSeen }: FirstCallProps) {
  const t = connectMessages().first;
  const [seen, setSeen] = useState<FirstCall | null>(null);
  const isWaiting = seen === null;
  const { data: call = null, error } = useQuery({ ...latestCallQuery(made), enabled: isWaiting });
  const { data: refusal = null } = useQuery({ ...latestRefusalQuery(made), enabled: isWaiting });
  if (isWaiting && call?.status === 'ok') setSeen(call);
  const tellSeen = useEffectEvent(onSeen);
  useEffect(() => {
    if (!isWaiting) tellSeen();
  }, [isWaiting]);
  return (
    <section
      role="status"
      aria-label={t.title}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4 text-sm shadow-lg md:sticky md:bottom-4"
    >
      {seen !== null ? (
        <Seen call={seen} tool={tool} />
      ) : (
        <>
          <p className="flex items-center gap-2 font-medium">
            <Spinner /> {t.waiting(tool)}
          </p>
          {error !== null && <p className="text-bad">{t.notAsked(showControls(error.message))}</p>}
          {error === null && call === null && refusal === null && <p className="text-ink-soft">{t.hint}</p>}
          <Trouble call={call} refusal={refusal} expected={{ tool, baseUrl, model }} />
        </>
      )}
    </section>
  );
}

function Seen({ call, tool }: { call: FirstCall; tool: string }) {
  const t = connectMessages().first;
  return (
    <>
      <p className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={18} /> {t.connected(tool)}
      </p>
      <dl className="figures flex flex-wrap items-baseline gap-x-5 gap-y-1">
        <Fact name={t.model}>{showControls(call.model)}</Fact>
        <Fact name={t.cost}>{call.cost_known === false ? t.unknown : formatUsd(call.total_cost)}</Fact>
        <Fact name={t.duration}>{formatDuration(call.generation_time)}</Fact>
        <Fact name={t.time}>{formatMoment(call.created_at)}</Fact>
      </dl>
      <p>
        <CallLink id={call.id} />
      </p>
    </>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex min-w-0 gap-2">
    <dt className="text-ink-faint">{name}</dt>
    <dd className="min-w-0 break-all">{children}</dd>
  </div>
);

const CallLink = ({ id }: { id: string }) => (
  <Link to="/generations" search={{ open: id }} className="text-accent underline">
    {connectMessages().first.view}
  </Link>
);

interface TroubleProps {
  readonly call: FirstCall | null;
  readonly refusal: RefusalBody | null;
  readonly expected: Parameters<typeof describeRefusal>[1];
}

/** The latest that went wrong. */
function Trouble({ call, refusal, expected }: TroubleProps) {
  if (call !== null && (refusal === null || call.created_at > refusal.at)) return <Failure call={call} />;
  if (refusal === null) return null;
  const { title, advice } = describeRefusal(refusal, expected);
  const at = formatMoment(refusal.at);
  const { fromAgent } = connectMessages().first;
  return (
    <Problem
      title={title}
      at={refusal.user_agent === null ? at : fromAgent(at, refusal.user_agent)}
      message={refusal.message}
    >
      {advice}
    </Problem>
  );
}

function Failure({ call }: { call: FirstCall }) {
  const { data: message = null } = useQuery(failureQuery(call.id));
  const t = connectMessages().first;
  const title = call.status === 'cancelled' ? t.cancelled : t.failed;
  return (
    <Problem title={title} at={formatMoment(call.created_at)} message={message ?? ''}>
      {t.failedAdvice} <CallLink id={call.id} />
    </Problem>
  );
}

interface ProblemProps {
  readonly title: string;
  readonly at: string;
  readonly message: string;
  readonly children: ReactNode;
}

function Problem({ title, at, message, children }: ProblemProps) {
  return (
    <div className="flex gap-2 rounded-lg border border-bad/50 bg-bad-soft/60 p-3">
      <CircleAlert size={18} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-medium break-words">{showControls(title)}</p>
        <p className="text-xs break-words text-ink-soft">{showControls(at)}</p>
        {message !== '' && <p className="mt-1 break-words">{showControls(message)}</p>}
        <p className="mt-1 break-words text-ink-soft">{children}</p>
      </div>
    </div>
  );
}
