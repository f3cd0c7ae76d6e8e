import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';
import { useQueries } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';

import type { Caller } from '../../api/call-api.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { findUnsupported } from '../../features/playground/attachments.ts';
import { createRun } from '../../features/playground/create-run.ts';
import type { Column, Experiment } from '../../features/playground/experiment.ts';
import { fitInto, allowanceQuery } from '../../features/playground/fit-to-limit.ts';
import { findProblems } from '../../features/playground/setup/setup.ts';
import { variablesOf } from '../../features/playground/variables.ts';
import { classNames } from '../../parts/class-names.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { useMedia } from '../../parts/use-width.ts';
import { BenchHeader } from './bench-header.tsx';
import { BenchColumn, type ColumnActions } from './column/bench-column.tsx';
import { columnMessages } from './column/messages.tsx';
import { Composer } from './composer.tsx';
import { drawTogether } from './draw-together.ts';
import { type Estimate, estimateColumns } from './estimate-cost.ts';
import { lastCompletion } from './experiment/edit-turns.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { KindChoice } from './kinds/kind-choice.tsx';
import { playgroundMessages } from './messages.tsx';
import type { PromptsView } from './prompts/prompts-menu.tsx';
import { type Runs, createRuns } from './runs.ts';
import { type Section, SetupPanel, sectionOf } from './setup/setup-panel.tsx';
import { useAttaching } from './use-attaching.ts';
import { useBenchActions } from './use-bench-actions.ts';
import { rememberModels, toModels } from './use-open-experiment.ts';

/** Most experiments have neither a prompt nor variables. */
const PromptBar = lazy(async () => ({ default: (await import('./prompts/prompt-bar.tsx')).PromptBar }));

/** A window in which the set-up has room beside the conversations. */
const WIDE = '(min-width: 112rem)';

interface WorkbenchProps {
  readonly store: ExperimentStore;
  readonly caller: Caller;
  readonly models: readonly Model[];
  readonly firstModel: string;
  /** The next message takes the focus. */
  readonly isFocused: boolean;
  /** An experiment that is not kept yet, or the id of one that is. */
  readonly onOpen: (experiment: Experiment | string) => void;
}

/** Conversations with models side by side. Every completion is an ordinary generation. */
export function Workbench({ store, caller, models, firstModel, isFocused, onOpen }: WorkbenchProps) {
  const experiment = useStore(store);
  const { id, setup, columns, text, attached } = experiment;
  const [runs] = useState(() => createRuns(() => createRun(drawTogether, () => performance.now())));
  const isRunning = useStore(runs, runs.isRunning);
  const [target, setTarget] = useState('');
  const [baseId, setBaseId] = useState('');
  const [promptsView, setPromptsView] = useState<PromptsView>(null);
  const variables = useMemo(() => variablesOf({ setup, columns, text }), [setup, columns, text]);
  const { showProblem, ...setupPanel } = useSetupPanel(setup);
  const live = columns.map((column, at) => ({ column, at })).filter(({ column }) => !column.isOriginal);
  const targets = live.filter(({ column }) => target === '' || column.id === target);
  const sendTo = targets.length === 0 ? live : targets;
  const listed = models.filter(({ id }) => live.some(({ column }) => column.model === id));
  const fit = useFit(caller, listed, sendTo.length);
  const actions = useBenchActions({
    store,
    runs,
    caller,
    models,
    fit,
    onProblem: showProblem,
  });
  useKept(store, () => runs.stopAll());
  const set = (change: Partial<Experiment>): void => store.update((before) => ({ ...before, ...change }));
  const isWide = useMedia(WIDE);
  const attaching = useAttaching(attached, (read) =>
    store.update((before) => ({ ...before, attached: [...before.attached, ...read] })),
  );

  useAddress(id, toModels(experiment));
  const send = (): void => actions.send(sendTo.map(({ column }) => column.id));
  const stop = (): void => void runs.stopAll();
  useSendKeys(send, stop, isRunning);
  const settled = useDeferredValue(experiment);
  const estimates = useMemo(() => estimateColumns(settled, models, fit), [settled, models, fit]);
  const unsupported = findUnsupported(
    models.filter((model) => sendTo.some(({ column }) => column.model === model.id)),
    attached,
  );

  const setupFields = (
    <SetupPanel {...setupPanel} isWhole={isWide} setup={setup} onChange={(next) => set({ setup: next })} />
  );

  return (
    <div
      {...attaching.handlers}
      // Also from the field in which one has just pressed Ctrl Enter.
      onKeyDown={({ key, target }) => {
        const isCovered = target instanceof Element && target.closest('dialog') !== null;
        if (key === 'Escape' && isRunning && !isCovered) stop();
      }}
      className={classNames(
        'flex min-h-0 flex-1 flex-col gap-3 px-4 py-3',
        attaching.isOver && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
      )}
    >
      <BenchHeader
        store={store}
        caller={caller}
        canChangeKey={(caller.key ?? caller.keyHash) !== undefined}
        firstModel={firstModel}
        allModels={models}
        onAdd={actions.addModel}
        baseId={baseId}
        onBase={setBaseId}
        promptsView={promptsView}
        onPromptsView={setPromptsView}
        onOpen={onOpen}
      />
      <KindChoice kind={undefined} />
      <div className="flex min-h-0 flex-1 gap-4">
        {isWide && <div className="scroll-thin w-[clamp(26rem,24%,36rem)] shrink-0 overflow-y-auto">{setupFields}</div>}
        <div className="flex min-h-0 min-w-0 flex-1 flex-col gap-3">
          <div
            className={classNames(
              'scroll-thin flex min-h-72 flex-1 flex-col gap-3 overflow-y-auto px-1',
              // One conversation is as wide as the field below it: longer lines are hard to read.
              columns.length < 2 && !isWide ? 'mx-auto w-full max-w-[calc(var(--container-4xl)+0.5rem)]' : '-mx-1',
            )}
          >
            {(experiment.prompt !== undefined || variables.length > 0) && (
              <Suspense>
                <PromptBar
                  experiment={experiment}
                  variables={variables}
                  onChange={set}
                  onSave={() => setPromptsView('save')}
                  onVersions={(promptId) => setPromptsView({ id: promptId })}
                />
              </Suspense>
            )}
            {!isWide && setupFields}
            <BenchColumns
              columns={columns}
              baseId={baseId}
              runs={runs}
              models={models}
              actions={actions}
              estimates={estimates}
            />
          </div>
          <Composer
            text={text}
            attached={attached}
            onText={(next) => set({ text: next })}
            onAttached={(next) => set({ attached: next })}
            onFiles={attaching.add}
            columns={live}
            target={targets.length === 0 ? '' : target}
            onTarget={setTarget}
            onSend={send}
            onStop={stop}
            isRunning={isRunning}
            unsupported={unsupported}
            estimateUsd={addUp(sendTo.map(({ column }) => estimates.get(column.id)?.usd))}
            isFocused={isFocused}
            isWide={isWide}
          />
        </div>
      </div>
    </div>
  );
}

/** Which section of the set-up is open; a problem opens the one that it is in, and takes the focus there. */
function useSetupPanel(setup: Experiment['setup']) {
  const [section, setSection] = useState<Section | null>(null);
  const [focusKey, setFocusKey] = useState(0);
  const problems = useMemo(() => findProblems(setup), [setup]);
  const showProblem = (): void => {
    const [path] = Object.keys(problems);
    if (path === undefined) return;
    setSection(sectionOf(path));
    setFocusKey((before) => before + 1);
  };
  return { problems, section, onSection: setSection, focusKey, showProblem };
}

/** Keeps the address to what is open, so that it can be kept and sent. */
function useAddress(id: string, models: ReturnType<typeof toModels>): void {
  const navigate = useNavigateWithin('/playground');
  useEffect(() => {
    rememberModels(models);
    void navigate({ search: { models, open: id }, replace: true });
  }, [navigate, models, id]);
}

function useSendKeys(send: () => void, stop: () => void, isRunning: boolean): void {
  const t = playgroundMessages();
  // A dialog keeps the page behind it still.
  const sendUnlessCovered = (): void => {
    if (document.querySelector('dialog[open]') === null) send();
  };
  useShortcut({ keys: 'mod+Enter', label: t.composer.send, group: t.thisScreen }, sendUnlessCovered);
  useShortcut({ keys: 'Escape', label: t.stop, group: t.thisScreen }, stop, isRunning);
}

/** Makes requests fit the limit of the key, as far as it is known what that has left. */
function useFit(caller: Caller, models: readonly Model[], among: number) {
  const allowances = useQueries({
    queries: models.map(({ id }) => allowanceQuery(caller, id)),
    combine: (results) => Object.fromEntries(results.map(({ data }, at) => [models[at]?.id, data])),
  });
  return useCallback(
    (request: ChatCompletionRequest) => fitInto(allowances[request.model ?? ''], request, among),
    [allowances, among],
  );
}

/** Keeps what is there when the page is hidden, reloaded or left; what still comes is stopped and kept as far as it is. */
function useKept(store: ExperimentStore, stopAll: () => Promise<void>): void {
  useEffect(() => {
    const flush = (): void => void store.flush();
    addEventListener('pagehide', flush);
    addEventListener('visibilitychange', flush);
    return () => {
      removeEventListener('pagehide', flush);
      removeEventListener('visibilitychange', flush);
      void stopAll().then(() => store.flush());
    };
  }, [store]);
}

/** Undefined where one of them cannot be sent to, null where a price is not known. */
const addUp = (sums: readonly (number | null | undefined)[]): number | null | undefined =>
  sums.includes(undefined)
    ? undefined
    : sums.reduce<number | null>((sum, usd) => (sum === null || usd == null ? null : sum + usd), 0);

interface BenchColumnsProps {
  readonly columns: readonly Column[];
  /** Id of the column that the others are compared with; empty for none. */
  readonly baseId: string;
  readonly runs: Runs;
  readonly models: readonly Model[];
  readonly actions: ColumnActions;
  readonly estimates: ReadonlyMap<string, Estimate>;
}

/** The columns, in as many rows as they need. */
function BenchColumns({ columns, baseId, runs, models, actions, estimates }: BenchColumnsProps) {
  const sharing = useMemo(() => countTurns(columns), [columns]);
  const base = columns.find(({ id }) => id === baseId);
  // Where nothing was said there is nothing to compare.
  const baseText = (base && lastCompletion(base.turns)?.text) || undefined;
  return (
    <div
      className="grid min-h-72 flex-1 auto-rows-[minmax(18rem,1fr)] gap-3"
      style={{ gridTemplateColumns: `repeat(auto-fit,minmax(min(100%,max(19rem,${toShare(columns.length)})),1fr))` }}
    >
      {columns.map((column, at) => (
        <BenchColumn
          key={column.id}
          column={column}
          at={at}
          run={runs.of(column.id)}
          models={models}
          actions={actions}
          isRemovable={columns.length > 1}
          sharing={sharing}
          baseText={column.id === baseId ? undefined : baseText}
          baseName={base === undefined ? '' : columnMessages().columnName(columns.indexOf(base) + 1)}
          estimate={estimates.get(column.id)}
        />
      ))}
    </div>
  );
}

/** The width of a column where the rows are equally long: up to four stand side by side, more in two rows. */
function toShare(count: number): string {
  const perRow = count <= 4 ? count : Math.ceil(count / 2);
  return `(100% - ${(perRow - 1) * 0.75}rem) / ${perRow}`;
}

/** In how many columns that can be changed each turn stands. */
function countTurns(columns: readonly Column[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { isOriginal, turns } of columns) {
    if (!isOriginal) for (const { id } of turns) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
