import type { Generation } from '@model-gateway/core/wire';
import { Link } from '@tanstack/react-router';

import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { EmptyState } from '../../../parts/messages/states.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { timelineMessages } from './messages.ts';

type ProviderResponse = NonNullable<Generation['provider_responses']>[number];

interface AttemptsProps {
  readonly generation: Generation;
}

/** Which providers were called, in order, how long each took, and how and why it ended. */
export function Attempts({ generation }: AttemptsProps) {
  const t = timelineMessages().attempts;
  const attempts = generation.provider_responses ?? [];
  if (attempts.length === 0) return <NoAttempts generation={generation} />;
  const isVideo = generation.api_type === 'video';
  const isStreamed = generation.streamed === true;
  return (
    <>
      <ol aria-label={t.list} className="flex flex-col gap-2">
        {attempts.map((attempt, at) => (
          <AttemptItem
            key={at}
            number={at + 1}
            attempt={attempt}
            isVideo={isVideo}
            isStreamed={isStreamed}
            seamAfter={attempts[at - 1]?.broke_off_after}
          />
        ))}
      </ol>
      <p className="text-xs text-ink-faint">
        {generation.router !== null && t.routedBy(showControls(generation.router))}
        <Link to="/models" search={{ open: generation.model }} className="text-accent underline">
          {t.explain}
        </Link>
      </p>
    </>
  );
}

interface AttemptItemProps {
  readonly number: number;
  readonly attempt: ProviderResponse;
  readonly isVideo: boolean;
  readonly isStreamed: boolean;
  /** The characters after which the attempt before broke off, and this one was to go on. */
  readonly seamAfter: number | undefined;
}

function AttemptItem({ number, attempt, isVideo, isStreamed, seamAfter }: AttemptItemProps) {
  const t = timelineMessages().attempts;
  const { error, status, latency } = attempt;
  const hasBegun = status !== null && status < 400;
  return (
    <li className="rounded-lg border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center gap-2 text-sm">
        <span className="text-ink-faint">{number}.</span>
        <span className="font-medium">{showControls(attempt.provider_name ?? t.unnamed)}</span>
        <Badge tone={hasBegun ? 'good' : 'bad'}>{status ?? t.noResponse}</Badge>
        {hasBegun && error !== undefined && <Badge tone="bad">{isVideo ? t.noVideo : t.brokeOff}</Badge>}
        {hasBegun && seamAfter !== undefined && <Badge>{t.continued(seamAfter, formatCount(seamAfter))}</Badge>}
        {attempt.key !== undefined && <Badge>{t.withKey(showControls(attempt.key))}</Badge>}
        {attempt.is_byok === true && <Badge>{t.ownKey}</Badge>}
        <span className="flex-1" />
        {latency !== undefined && (
          <span className="figures text-xs text-ink-faint">
            {(!hasBegun ? t.failedAfter : isStreamed ? t.firstTokenAfter : t.respondedAfter)(formatDuration(latency))}
          </span>
        )}
      </div>
      {error !== undefined && (
        <p className="mt-2 text-sm break-words">
          {error.code !== status && <span className="font-medium text-bad">{error.code} </span>}
          {showControls(error.message ?? t.messageNotStored(error.error_type))}
        </p>
      )}
      <p className="mt-2 font-mono text-xs break-all text-ink-faint">
        {showControls([attempt.model_permaslug, attempt.id].filter(Boolean).join(' · ') || t.noProviderId)}
      </p>
    </li>
  );
}

function NoAttempts({ generation: { response_cache_source_id: source, provider_name: name } }: AttemptsProps) {
  const t = timelineMessages().attempts;
  if (source !== null) return <EmptyState title={t.noneTitle}>{t.repeated}</EmptyState>;
  // Records of former versions do not list the attempts of videos.
  if (name !== null) return <EmptyState title={t.calledTitle(showControls(name))}>{t.noDetails}</EmptyState>;
  return <EmptyState title={t.noneTitle}>{t.endedBefore}</EmptyState>;
}
