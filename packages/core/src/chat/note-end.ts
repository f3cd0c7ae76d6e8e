import type { Outcome } from '../calls/outcome.ts';
import { noteOutcome } from '../dispatch/note-outcome.ts';
import type { Usage } from '../wire/chat/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import type { CommittedCompletion } from './committed-completion.ts';

/** Reports the end of a completion to its endpoint's health, unless that has been done already. */
export function noteEnd(
  { parts }: ChatRun,
  { endpoint, startedAt, isAccountedFor }: CommittedCompletion,
  outcome: Outcome,
  usage: Usage | undefined,
): void {
  if (isAccountedFor !== true) noteOutcome({ endpoint, startedAt, outcome, usage }, parts.attempts);
}
