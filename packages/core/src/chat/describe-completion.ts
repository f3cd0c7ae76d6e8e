import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/settled-generation.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { RoutingMembers } from '../wire/chat/routing-metadata.ts';
import type { ChatRun } from './chat-run.ts';
import type { CompletionEnvelope } from './dialect.ts';
import { withFlaggedInput } from './flagged-input.ts';

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
export const describeError = (error: GatewayError, run: ChatRun): GatewayError =>
  withReport(withFlaggedInput(error, run), run.report, { attempts: run.observer.attempts(), hasFailed: true });
