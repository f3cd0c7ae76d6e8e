import { type Awaitable, whenAllKnown } from '../../foundation/async/awaitable.ts';
import { beginCompletion } from '../begin-completion.ts';
import type { ChatRun } from '../chat-run.ts';
import type { Begin, FitRequest, ListedStage, PlannedStage } from './stage.ts';

export interface ComposedStages {
  readonly begin: Begin;
  /** Upstream is not called: an earlier completion is repeated. */
  readonly isReplay: boolean;
}

/** Composes the stages that a call needs, the first outermost. Without any, endpoints are called directly. */
export function composeStages(stages: readonly ListedStage[], run: ChatRun): Awaitable<ComposedStages> {
  const planned: Awaitable<PlannedStage | null>[] = [];
  for (const { stage, isNeeded } of stages) if (isNeeded(run)) planned.push(stage.plan(run));
  return whenAllKnown(planned, (...all) => compose(all, run));
}

function compose(planned: readonly (PlannedStage | null)[], run: ChatRun): ComposedStages {
  let fit: FitRequest | null = null;
  let begin: Begin = (turn) => beginCompletion(run, turn, fit);
  let isReplay = false;
  for (const stage of planned.toReversed()) {
    if (stage === null) continue;
    if (stage.fit !== undefined) fit = fitBoth(stage.fit, fit);
    if (stage.begin !== undefined) begin = stage.begin(begin);
    if (stage.isReplay === true) isReplay = true;
  }
  return { begin, isReplay };
}

function fitBoth(outer: FitRequest, inner: FitRequest | null): FitRequest {
  return inner === null ? outer : (request, endpoint) => inner(outer(request, endpoint), endpoint);
}
