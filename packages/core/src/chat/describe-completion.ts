import { withFlaggedInput } from '../calls/attempt.ts';
import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import { withReport } from '../routing/explain.ts';
import type { RoutingMembers } from '../wire/routing.ts';
import type { ChatRun } from './chat-run.ts';
import type { CompletionEnvelope } from './dialect.ts';
import { lastWordsOf } from './last-words.ts';

/** The fields that every part of a run's completion repeats. `created`: milliseconds since the epoch. */
export function envelopeOf({ call, plan, observer }: ChatRun, created: number): CompletionEnvelope {
  const endpoint = observer.endpoint();
  const { systemFingerprint, serviceTier, upstream } = observer.completion;
  return {
    id: call.id,
    created: Math.floor(created / 1000),
    model: endpoint?.modelId ?? plan.endpoints[0]?.modelId ?? '',
    provider: upstream?.provider ?? endpoint?.provider.name ?? '',
    systemFingerprint,
    serviceTier,
  };
}

/** The routing of a completed run, as its caller requested it. */
export function routingOf(
  { report, observer }: ChatRun,
  settled: SettledGeneration | undefined,
): RoutingMembers | undefined {
  const generationMs = settled?.record.generation.generation_time;
  return report?.toMembers({ attempts: observer.attempts(), hasFailed: false, generationMs });
}

/** The error that ended a run, as its caller receives it: with the facts and the routing that belong to it. */
export function describeError(error: GatewayError, { call, report, observer }: ChatRun): GatewayError {
  const attempts = observer.attempts();
  const model = attempts.at(-1)?.endpoint.modelId ?? call.request.model ?? '';
  const flagged = withFlaggedInput(error, { model, textOf: () => lastWordsOf(call.request) });
  return withReport(flagged, report, { attempts, hasFailed: true });
}
