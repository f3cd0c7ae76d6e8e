import type { Generation, RoutingCandidate, RoutingDecision } from '@model-gateway/core/wire';

import { toRuleText } from '../../../features/models/rule-text.ts';
import { formatCount } from '../../../format/quantity.ts';
import { Badge } from '../../../parts/badge.tsx';
import { showControls } from '../../../parts/text/show-controls.ts';
import { timelineMessages } from './messages.ts';

interface EndpointOutcomesProps {
  readonly decision: RoutingDecision;
  readonly attempts: NonNullable<Generation['provider_responses']>;
}

/** Why each endpoint was asked or not, as it was decided then. */
export function EndpointOutcomes({ decision, attempts }: EndpointOutcomesProps) {
  const t = timelineMessages().outcomes;
  return (
    <>
      <p className="text-xs break-words text-ink-faint">
        {t.decision(toOrderText(decision), showControls(decision.requested))}
      </p>
      <ol aria-label={t.list} className="flex flex-col gap-1.5">
        {toOutcomes(decision, attempts, toRuleText).map((outcome, at) => (
          <OutcomeItem key={at} outcome={outcome} />
        ))}
      </ol>
      {decision.more !== undefined && <p className="text-xs text-ink-faint">{t.more(formatCount(decision.more))}</p>}
    </>
  );
}

const TONES = { asked: 'accent', 'not-asked': 'neutral', excluded: 'bad' } as const;

function OutcomeItem({ outcome: { candidate, kind, attempts, reason } }: { outcome: EndpointOutcome }) {
  const t = timelineMessages().outcomes;
  const times = attempts.length === 0 ? '' : t.asAttempt(attempts.slice(0, 5).join(', '));
  return (
    <li className="text-sm">
      <span className="flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium break-words">{showControls(candidate.provider_name)}</span>
        <code className="font-mono text-xs break-all text-ink-faint">{showControls(candidate.model)}</code>
        <Badge tone={TONES[kind]}>
          {t.kinds[kind]}
          {times}
        </Badge>
      </span>
      {reason !== '' && <span className="block text-xs break-words text-ink-soft">{showControls(reason)}</span>}
    </li>
  );
}

/** What became of an endpoint that the call might have gone to. */
interface EndpointOutcome {
  readonly candidate: RoutingCandidate;
  readonly kind: 'asked' | 'not-asked' | 'excluded';
  /** Places among the attempts, from 1; several where tools were run in between. */
  readonly attempts: readonly number[];
  readonly reason: string;
}

type Attempts = NonNullable<Generation['provider_responses']>;

/** Tells of every endpoint of a decision why it was asked, or not. */
export function toOutcomes(
  { candidates }: RoutingDecision,
  attempts: Attempts,
  toRuleText: (rule: string, guardrailId: string | null) => string,
): readonly EndpointOutcome[] {
  const t = timelineMessages().outcomes;
  const hasBegun = attempts.some(({ status, error }) => status !== null && status < 400 && error === undefined);
  return candidates.map((candidate) => {
    const { rule, guardrail_id: guardrailId, skipped } = candidate;
    if (rule !== undefined) {
      return { candidate, kind: 'excluded', attempts: [], reason: toRuleText(rule, guardrailId ?? null) };
    }
    const asked = attempts.flatMap((attempt, index) => (isOf(attempt, candidate) ? [index + 1] : []));
    if (asked.length > 0) return { candidate, kind: 'asked', attempts: asked, reason: toStateText(candidate) };
    const reason = skipped !== undefined ? t.skipped[skipped] : hasBegun ? t.earlierResponded : t.endedBefore;
    return { candidate, kind: 'not-asked', attempts: [], reason };
  });
}

/** An attempt names its endpoint by tag and the provider's own model: `openai/flex:gpt-5`. */
function isOf({ endpoint_id: id, model_permaslug: model }: Attempts[number], candidate: RoutingCandidate): boolean {
  return id?.startsWith(`${candidate.provider}:`) === true && model === candidate.model;
}

const toStateText = ({ standing, state = standing }: RoutingCandidate): string =>
  state === undefined ? '' : timelineMessages().outcomes.states[state];

/** How the order came about; empty where there was none. */
const toOrderText = ({ ordered_by: by }: RoutingDecision): string =>
  by === undefined ? '' : timelineMessages().outcomes.orders[by];
