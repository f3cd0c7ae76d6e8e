import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useStore } from 'zustand';

import type { Caller } from '../../api/call-api.ts';
import { useShortcut } from '../../app/shortcuts.ts';
import { findUnsupported } from '../../features/playground/attachments.ts';
import { createRun } from '../../features/playground/create-run.ts';
import type { Experiment } from '../../features/playground/experiment.ts';
import { fitInto, roomQuery } from '../../features/playground/fit-to-limit.ts';
import { findProblems } from '../../features/playground/setup/setup.ts';
import { classNames } from '../../parts/class-names.ts';
import { useNavigateWithin } from '../../parts/use-navigate-within.ts';
import { BenchColumns } from './bench-columns.tsx';
import { BenchHeader } from './bench-header.tsx';
import { Composer } from './composer.tsx';
import { useAttaching } from './draft/use-attaching.ts';
import { estimateColumns } from './estimate/estimate-columns.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { createRuns } from './runs.ts';
import { type Section, sectionOf, SetupPanel } from './setup/setup-panel.tsx';
import { drawTogether } from './stream/draw-together.ts';
import { useBenchActions } from './use-bench-actions.ts';
import { toModels } from './use-open-experiment.ts';

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
  const navigate = useNavigateWithin('/playground');
  const experiment = useStore(store);
  const { id, setup, columns, text, attached } = experiment;
  const [runs] = useState(() => createRuns(() => createRun(drawTogether, () => performance.now())));
  const isRunning = useStore(runs, runs.isRunning);
  const [target, setTarget] = useState('');
  const [baseId, setBaseId] = useState('');
  const [section, setSection] = useState<Section | null>(null);
  const [focusKey, setFocusKey] = useState(0);
  const problems = useMemo(() => findProblems(setup), [setup]);
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
    onProblem() {
      const [path] = Object.keys(problems);
      if (path === undefined) return;
      setSection(sectionOf(path));
      setFocusKey((before) => before + 1);
    },
  });
  useKept(store, () => runs.stopAll());
  const set = (change: Partial<Experiment>): void => store.update((before) => ({ ...before, ...change }));
  const attaching = useAttaching(attached, (read) =>
    store.update((before) => ({ ...before, attached: [...before.attached, ...read] })),
  );

  const shown = toModels(experiment);
  useEffect(() => {
    void navigate({ search: { models: shown, open: id }, replace: true });
  }, [navigate, shown, id]);

  const send = (): void => actions.send(sendTo.map(({ column }) => column.id));
  const stop = (): void => void runs.stopAll();
  // A dialog keeps the page behind it still.
  const sendUnlessCovered = (): void => {
    if (document.querySelector('dialog[open]') === null) send();
  };
  useShortcut({ keys: 'mod+Enter', label: 'Send', group: 'This screen' }, sendUnlessCovered);
  useShortcut({ keys: 'Escape', label: 'Stop', group: 'This screen' }, stop, isRunning);

  const settled = useDeferredValue(experiment);
  const estimates = useMemo(() => estimateColumns(settled, models, fit), [settled, models, fit]);
  const unsupported = findUnsupported(
    models.filter((model) => sendTo.some(({ column }) => column.model === model.id)),
    attached,
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
        'flex min-h-0 flex-1 flex-col gap-3 p-4',
        attaching.isOver && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
      )}
    >
      <BenchHeader
        store={store}
        canChangeKey={(caller.key ?? caller.keyHash) !== undefined}
        firstModel={firstModel}
        baseId={baseId}
        onBase={setBaseId}
        onOpen={onOpen}
      />
      <div className="scroll-thin -mx-1 flex min-h-72 flex-1 flex-col gap-3 overflow-y-auto px-1">
        <SetupPanel
          setup={setup}
          problems={problems}
          onChange={(next) => set({ setup: next })}
          section={section}
          onSection={setSection}
          focusKey={focusKey}
        />
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
      />
    </div>
  );
}

/** Makes requests fit the limit of the key, as far as it is known what that has left. */
function useFit(caller: Caller, models: readonly Model[], among: number) {
  const rooms = useQueries({
    queries: models.map(({ id }) => roomQuery(caller, id)),
    combine: (results) => Object.fromEntries(results.map(({ data }, at) => [models[at]?.id, data])),
  });
  return useCallback(
    (request: ChatCompletionRequest) => fitInto(rooms[request.model ?? ''], request, among),
    [rooms, among],
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
