import type { Awaitable } from '../../foundation/awaitable.ts';
import { beginCompletion } from '../begin-completion.ts';
import type { ChatRun } from '../chat-run.ts';
import type { Begin, FitRequest, PlannedStage, Stage } from './stage.ts';

/** The stages between a chat call and its endpoints. */
export interface ComposedStages {
  readonly begin: Begin;
  /** Upstream is not called: an earlier completion is repeated. */
  readonly isReplay: boolean;
}

/**
 * Composes the stages that a call needs, the first of the list outermost. Without any, endpoints are called directly.
 */
export function composeStages(stages: readonly Stage[], run: ChatRun): Awaitable<ComposedStages> {
  const planned: Awaitable<PlannedStage | null>[] = [];
  for (const stage of stages) {
    const plan = stage.plan(run);
    if (plan !== null) planned.push(plan);
  }
  return planned.every(isKnown)
    ? compose(planned, run)
    : Promise.all(planned.map((plan) => Promise.resolve(plan))).then((all) => compose(all, run));
}

const isKnown = (plan: Awaitable<PlannedStage | null>): plan is PlannedStage | null => !(plan instanceof Promise);

function compose(planned: readonly (PlannedStage | null)[], run: ChatRun): ComposedStages {
  let fit: FitRequest | null = null;
  let begin: Begin = (turn) => beginCompletion(run, turn, fit);
  let isReplay = false;
  for (const stage of planned.toReversed()) {
    if (stage === null) continue;
    if (stage.fit !== undefined) fit = stage.fit;
    if (stage.begin !== undefined) begin = stage.begin(begin);
    if (stage.isReplay === true) isReplay = true;
  }
  return { begin, isReplay };
}
