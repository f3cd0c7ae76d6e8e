import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';
import { useMemo, useRef } from 'react';

import { ApiError } from '../../api/api-error.ts';
import type { Caller } from '../../api/call-api.ts';
import { queryClient } from '../../api/query-client.ts';
import type { RunState } from '../../features/playground/create-run.ts';
import type { AssistantTurn, Experiment, Failure, Outcome } from '../../features/playground/experiment.ts';
import { fitToLimit } from '../../features/playground/fit-to-limit.ts';
import { streamChat } from '../../features/playground/stream-chat.ts';
import { showToast } from '../../parts/messages/toast-store.ts';
import type { ColumnActions } from './column/bench-column.tsx';
import {
  addColumn,
  addCompletion,
  addTurns,
  columnsWith,
  cutAfter,
  dropCompletion,
  findOpenCalls,
  isPending,
  removeColumn,
  removeTurn,
  restoreTurns,
  setModel,
  setTurnText,
} from './experiment/edit-turns.ts';
import { toRequest } from './experiment/to-request.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { playgroundMessages } from './messages.tsx';
import { type Runs, isUnderWay } from './runs.ts';
import { newId } from './use-open-experiment.ts';

interface BenchContext {
  readonly store: ExperimentStore;
  readonly runs: Runs;
  readonly caller: Caller;
  readonly models: readonly Model[];
  /** Makes a request fit the limit of the key, as far as that is known already. */
  readonly fit: (request: ChatCompletionRequest) => ChatCompletionRequest;
  /** The set-up has a field to correct. */
  readonly onProblem: () => void;
}

export interface BenchActions extends ColumnActions {
  /** Sends what is typed to the columns of these ids, or what they wait with. */
  readonly send: (columnIds: readonly string[]) => void;
  /** Adds a column; `isSent` when it is to be sent what the last column was sent. */
  readonly addModel: (model: string, isSent: boolean) => void;
}

/** What can be done on the bench. The same object for as long as the experiment is open. */
export function useBenchActions(context: BenchContext): BenchActions {
  const latest = useRef(context);
  latest.current = context;
  return useMemo(() => createBenchActions(() => latest.current), []);
}

interface Runner {
  readonly readRequest: (columnId: string, experiment: Experiment) => ChatCompletionRequest | string;
  /** Makes a change and runs these columns with it; nothing at all where one of them could not be run. */
  readonly run: (columnIds: readonly string[], change: (experiment: Experiment) => Experiment) => void;
}

function createRunner(read: () => BenchContext): Runner {
  const readRequest: Runner['readRequest'] = (columnId, experiment) => {
    const column = experiment.columns.find(({ id }) => id === columnId);
    if (column === undefined) return playgroundMessages().actions.noColumn;
    return toRequest(
      experiment.setup,
      column,
      read().models.find(({ id }) => id === column.model),
      experiment.variables,
    );
  };
  const start = async (columnId: string, request: ChatCompletionRequest, among: number): Promise<void> => {
    const { store, runs, caller } = read();
    const own = runs.of(columnId);
    let sent = request;
    await own.start(async function* (signal) {
      sent = await fitToLimit(request, caller, among);
      yield* streamChat(sent, caller, signal);
    });
    // What is left has become less.
    void queryClient.invalidateQueries({ queryKey: ['keys', 'allowance'] });
    const facts = {
      id: newId(),
      model: request.model ?? '',
      isStreamed: request.stream === true,
      endedAt: new Date().toISOString(),
      fittedTokens: sent === request ? undefined : (sent.max_tokens ?? undefined),
    };
    const turn = toAssistantTurn(own.getState(), facts);
    store.update((experiment) => addCompletion(experiment, columnId, turn));
  };
  const run: Runner['run'] = (columnIds, change) => {
    const { store, runs, onProblem } = read();
    const { columns } = store.getState();
    const busy = columns.findIndex(({ id }) => columnIds.includes(id) && isUnderWay(runs.of(id)));
    if (busy >= 0) return showToast({ tone: 'neutral', title: playgroundMessages().actions.busy(busy + 1) });
    const next = change(store.getState());
    const requests = columnIds.map((id) => [id, readRequest(id, next)] as const);
    const problem = requests.map(([, request]) => request).find((request) => typeof request === 'string');
    if (problem !== undefined) {
      showToast({ tone: 'bad', title: problem });
      return onProblem();
    }
    store.update(() => next);
    for (const [id, request] of requests) {
      if (typeof request !== 'string') runs.track(start(id, request, requests.length));
    }
  };
  return { readRequest, run };
}

function createBenchActions(read: () => BenchContext): BenchActions {
  const { readRequest, run } = createRunner(read);
  const columnOf = (id: string) =>
    read()
      .store.getState()
      .columns.find((column) => column.id === id);
  return {
    readRequest: (columnId) => {
      const { store, fit } = read();
      const request = readRequest(columnId, dropCompletion(store.getState(), columnId));
      return typeof request === 'string' ? request : fit(request);
    },
    send(columnIds) {
      const t = playgroundMessages();
      if (columnIds.length === 0) return showToast({ tone: 'bad', title: t.actions.noModel });
      const { store } = read();
      const { text, attached, columns } = store.getState();
      const sent = columns.filter(({ id }) => columnIds.includes(id));
      const waiting = sent.filter(({ turns }) => findOpenCalls(turns).length > 0)[0];
      if (waiting !== undefined) {
        const title = t.actions.waitsForTools(columns.indexOf(waiting) + 1);
        return showToast({ tone: 'bad', title, detail: t.actions.waitsForToolsHint });
      }
      if (text.trim() === '' && attached.length === 0) {
        const pending = sent.filter(isPending).map(({ id }) => id);
        if (pending.length === 0) return showToast({ tone: 'bad', title: t.problems.noMessage });
        run(pending, (experiment) => experiment);
        return;
      }
      const asked = { type: 'user' as const, id: newId(), text, attached, kept: [] };
      run(columnIds, (experiment) => ({ ...addTurns(experiment, columnIds, [asked]), text: '', attached: [] }));
    },
    setModel(columnId, model, isSent) {
      const { store } = read();
      store.update((experiment) => setModel(experiment, columnId, model));
      if (!isSent) return;
      const column = columnOf(columnId);
      if (column !== undefined && isPending(column)) run([columnId], (experiment) => experiment);
      else if (column !== undefined && column.turns.length > 0)
        run([columnId], (experiment) => dropCompletion(experiment, columnId));
    },
    addModel(model, isSent) {
      const { store } = read();
      store.update((experiment) => addColumn(experiment, model, newId));
      const added = store.getState().columns.at(-1);
      if (isSent && added !== undefined && isPending(added)) run([added.id], (experiment) => experiment);
    },
    removeColumn(columnId) {
      const { store, runs } = read();
      const before = store.getState();
      runs.of(columnId).stop();
      store.update((experiment) => removeColumn(experiment, columnId));
      const at = before.columns.findIndex(({ id }) => id === columnId);
      const removed = before.columns[at];
      if (removed === undefined || removed.turns.length === 0) return;
      const undo = (): void =>
        store.update((experiment) => ({ ...experiment, columns: experiment.columns.toSpliced(at, 0, removed) }));
      const t = playgroundMessages();
      showToast({
        tone: 'neutral',
        title: t.actions.columnRemoved(at + 1),
        action: { label: t.undo, run: undo },
      });
    },
    again: (columnId) => run([columnId], (experiment) => dropCompletion(experiment, columnId)),
    edit: (turnId, text) => read().store.update((experiment) => setTurnText(experiment, turnId, text)),
    sendFrom(turnId) {
      const ids = columnsWith(read().store.getState().columns, turnId);
      run(ids, (experiment) => cutAfter(experiment, turnId));
    },
    remove(turnId) {
      const { store } = read();
      const before = store.getState();
      store.update((experiment) => removeTurn(experiment, turnId));
      const after = store.getState();
      const undo = (): void => store.update((experiment) => restoreTurns(experiment, { before, after }));
      const t = playgroundMessages();
      showToast({ tone: 'neutral', title: t.removed, action: { label: t.undo, run: undo } });
    },
    answerCalls(columnId, results) {
      const column = columnOf(columnId);
      if (column === undefined) return;
      const turns = findOpenCalls(column.turns).map(({ id, name }) => ({
        type: 'tool' as const,
        id: newId(),
        callId: id,
        name,
        text: results.get(id) ?? '',
      }));
      run([columnId], (experiment) => addTurns(experiment, [columnId], turns));
    },
  };
}

interface TurnFacts {
  readonly id: string;
  readonly model: string;
  readonly isStreamed: boolean;
  /** ISO 8601. */
  readonly endedAt: string;
  readonly fittedTokens?: number | undefined;
}

/** The completion of a run that has ended, as a turn of the conversation. */
export function toAssistantTurn(
  state: RunState,
  { id, model, isStreamed, endedAt, fittedTokens }: TurnFacts,
): AssistantTurn {
  const outcome: Outcome = {
    status: state.status === 'failed' || state.status === 'stopped' ? state.status : 'done',
    model,
    provider: state.provider,
    generationId: state.generationId,
    finishReason: state.finishReason,
    promptTokens: state.usage?.prompt_tokens ?? null,
    completionTokens: state.usage?.completion_tokens ?? null,
    costUsd: state.usage?.cost ?? null,
    firstTokenMs: state.firstTokenMs,
    elapsedMs: state.elapsedMs,
    endedAt,
    error: state.status === 'failed' ? toFailure(state.error) : null,
    fittedTokens,
  };
  const { text, reasoning, reasoningDetails, toolCalls, images } = state;
  const audio =
    state.audio.length === 0 ? null : { format: isStreamed ? 'pcm16' : 'mp3', data: joinBase64(state.audio) };
  // A call of a tool that broke off half-way cannot be answered, nor sent back.
  const whole = outcome.status === 'done' ? toolCalls : [];
  return { type: 'assistant', id, text, reasoning, reasoningDetails, toolCalls: whole, images, audio, outcome };
}

function toFailure(error: unknown): Failure {
  if (!(error instanceof ApiError)) return { message: String(error), status: -1, errorType: 'script', issues: [] };
  const { message, status, errorType, issues } = error;
  return { message, status, errorType, issues };
}

/** Each piece of a stream is base64 by itself. */
const joinBase64 = (pieces: readonly string[]): string =>
  pieces.length === 1 ? (pieces[0] ?? '') : btoa(pieces.map((piece) => atob(piece)).join(''));
