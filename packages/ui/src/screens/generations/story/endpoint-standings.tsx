import type { Generation, RoutingDecision } from '@model-gateway/core/wire';

import { toRuleText } from '../../../features/models/rule-text.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { type EndpointStanding, toOrderText, toStandings } from './to-standings.ts';

interface EndpointStandingsProps {
  readonly decision: RoutingDecision;
  readonly attempts: NonNullable<Generation['provider_responses']>;
}

/** Why each endpoint was asked or not, as it was decided then. */
export function EndpointStandings({ decision, attempts }: EndpointStandingsProps) {
  const order = toOrderText(decision);
  return (
    <>
      <p className="text-xs break-words text-ink-faint">
        As it was decided then{order !== '' && `: ${order}`}. Asked for: {showControls(decision.requested)}.
      </p>
      <ol aria-label="Endpoints" className="flex flex-col gap-1.5">
        {toStandings(decision, attempts, toRuleText).map((standing, at) => (
          <StandingItem key={at} standing={standing} />
        ))}
      </ol>
      {decision.more !== undefined && (
        <p className="text-xs text-ink-faint">And {formatCount(decision.more)} more, not stored.</p>
      )}
    </>
  );
}

const KINDS = {
  asked: { label: 'asked', tone: 'accent' },
  'not-asked': { label: 'not asked', tone: 'neutral' },
  excluded: { label: 'excluded', tone: 'bad' },
} as const;

function StandingItem({ standing: { candidate, kind, attempts, reason } }: { standing: EndpointStanding }) {
  const { label, tone } = KINDS[kind];
  const times = attempts.length === 0 ? '' : ` as attempt ${attempts.slice(0, 5).join(', ')}`;
  return (
    <li className="text-sm">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-words">{showControls(candidate.provider_name)}</span>
        <code className="font-mono text-xs break-all text-ink-faint">{showControls(candidate.model)}</code>
        <Badge tone={tone}>
          {label}
          {times}
        </Badge>
      </span>
      {reason !== '' && <span className="block text-xs break-words text-ink-soft">{showControls(reason)}</span>}
    </li>
  );
}
