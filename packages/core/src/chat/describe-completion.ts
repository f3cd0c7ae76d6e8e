import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/settled-generation.ts';
import { withReport } from '../routing/routing-metadata.ts';
import type { RoutingMembers } from '../wire/chat/routing-metadata.ts';
import type { ChatRun } from './chat-run.ts';
import type { CompletionEnvelope } from './dialect.ts';

/** The fields that every part of a run's completion repeats. `created`: milliseconds since the epoch. */
export function envelopeOf({ call, plan, observer }: ChatRun, created: number): CompletionEnvelope {
  const endpoint = observer.endpoint();
  const { systemFingerprint, serviceTier } = observer.completion;
  return {
    id: call.id,
    created: Math.floor(created / 1000),
    model: endpoint?.modelId ?? plan.endpoints[0]?.modelId ?? '',
    provider: endpoint?.provider.name ?? '',
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

/** The error that ended a run, with its routing where the caller requested it. */
export const withRouting = (error: GatewayError, { report, observer }: ChatRun): GatewayError =>
  withReport(error, report, { attempts: observer.attempts(), hasFailed: true });
