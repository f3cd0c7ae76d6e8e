import type { Model } from '@model-gateway/core/wire';
import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from 'react';

import type { Caller } from '../../api/call-api.ts';
import { classNames } from '../../parts/class-names.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ScreenHeader } from '../../parts/messages/states.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import { BenchColumn } from './column/bench-column.tsx';
import { Composer } from './composer.tsx';
import { createRun } from './create-run.ts';
import { findUnsupported } from './draft/attachments.ts';
import { useAttaching } from './draft/use-attaching.ts';
import { estimateColumns } from './estimate/estimate-columns.ts';
import { addColumn, lastCompletion } from './experiment/edit-turns.ts';
import { type Experiment, MAX_COLUMNS, toTitle } from './experiment/experiment.ts';
import type { ExperimentStore } from './experiments/experiment-store.ts';
import { ExperimentsMenu } from './experiments/experiments-menu.tsx';
import { SavingNote } from './experiments/saving-note.tsx';
import { setPlaygroundKey } from './playground-key.ts';
import { createRuns } from './runs.ts';
import { type Section, sectionOf, SetupPanel } from './setup/setup-panel.tsx';
import { findProblems } from './setup/setup.ts';
import { drawTogether } from './stream/draw-together.ts';
import { useBenchActions } from './use-bench-actions.ts';
import { newId, toModels } from './use-open-experiment.ts';

interface WorkbenchProps {
  readonly store: ExperimentStore;
  readonly caller: Caller;
  readonly models: readonly Model[];
  readonly firstModel: string;
  /** The next message takes the focus. */
  readonly isFocused: boolean;
  readonly onOpen: (experiment: Experiment | string | null) => void;
}

/** Conversations with models side by side. Every completion is an ordinary generation. */
export function Workbench({ store, caller, models, firstModel, isFocused, onOpen }: WorkbenchProps) {
  const navigate = useNavigate({ from: '/playground' });
  const experiment = useSyncExternalStore(store.subscribe, store.getState);
  const { id, name, setup, columns, text, attached } = experiment;
  const [runs] = useState(() => createRuns(() => createRun(drawTogether, () => performance.now())));
  const isRunning = useSyncExternalStore(runs.subscribe, runs.isRunning);
  const [target, setTarget] = useState('');
  const [baseId, setBaseId] = useState('');
  const [section, setSection] = useState<Section | null>(null);
  const [focusKey, setFocusKey] = useState(0);
  const problems = useMemo(() => findProblems(setup), [setup]);
  const actions = useBenchActions({
    store,
    runs,
    caller,
    models,
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

  const live = columns.map((column, at) => ({ column, at })).filter(({ column }) => !column.isOriginal);
  const targets = live.filter(({ column }) => target === '' || column.id === target);
  const sendTo = targets.length === 0 ? live : targets;
  const send = (): void => actions.send(sendTo.map(({ column }) => column.id));
  const stop = (): void => void runs.stopAll();
  useShortcut({ keys: 'mod+Enter', label: 'Send', group: 'This screen' }, send);
  useShortcut({ keys: 'Escape', label: 'Stop', group: 'This screen' }, stop, isRunning);

  const settled = useDeferredValue(experiment);
  const estimates = useMemo(() => estimateColumns(settled, models), [settled, models]);
  const sums = sendTo.map(({ column }) => estimates.get(column.id)?.usd);
  const estimateUsd = sums.includes(undefined)
    ? undefined
    : sums.reduce<number | null>((sum, usd) => (sum === null || usd == null ? null : sum + usd), 0);
  const sharing = useMemo(() => countTurns(experiment), [experiment]);
  const base = columns.find((column) => column.id === baseId);
  const baseText = base && lastCompletion(base.turns)?.text;
  const unsupported = findUnsupported(
    models.filter((model) => sendTo.some(({ column }) => column.model === model.id)),
    attached,
  );

  return (
    <div
      {...attaching.handlers}
      // Also from the field in which one has just pressed Ctrl Enter.
      onKeyDown={({ key }) => {
        if (key === 'Escape' && isRunning) stop();
      }}
      className={classNames(
        'flex min-h-0 flex-1 flex-col gap-3 p-4',
        attaching.isOver && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
      )}
    >
      <ScreenHeader title="Playground" note={<SavingNote store={store} />}>
        <input
          aria-label="Name of the experiment"
          placeholder={toTitle(experiment)}
          maxLength={200}
          className="field w-44"
          value={name}
          onChange={(event) => set({ name: event.target.value })}
        />
        <ExperimentsMenu
          readOpen={store.getState}
          openId={id}
          newId={newId}
          onNew={() => onOpen(null)}
          onOpen={onOpen}
          onImport={onOpen}
          onDeleted={() => {
            store.discard();
            onOpen(null);
          }}
        />
        {(caller.key ?? caller.keyHash) !== undefined && (
          <Button look="quiet" onClick={() => setPlaygroundKey(null)}>
            Change key
          </Button>
        )}
        {columns.length > 1 && (
          <select
            aria-label="Mark differences from"
            title="Marks what differs in the last completions"
            className="field w-auto max-w-52"
            value={base === undefined ? '' : baseId}
            onChange={(event) => setBaseId(event.target.value)}
          >
            <option value="">No differences</option>
            {columns.map((column, at) => (
              <option key={column.id} value={column.id}>
                Differences from {at + 1}: {showControls(column.model)}
              </option>
            ))}
          </select>
        )}
        <Button
          icon={<Plus size={15} aria-hidden />}
          disabled={columns.length >= MAX_COLUMNS}
          onClick={() => store.update((before) => addColumn(before, live.at(-1)?.column.model ?? firstModel, newId))}
        >
          Model
        </Button>
      </ScreenHeader>
      <div className="scroll-thin -mx-1 flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-1">
        <SetupPanel
          setup={setup}
          problems={problems}
          onChange={(next) => set({ setup: next })}
          section={section}
          onSection={setSection}
          focusKey={focusKey}
        />
        <div className="grid min-h-72 flex-1 auto-rows-[minmax(18rem,1fr)] grid-cols-[repeat(auto-fit,minmax(min(100%,19rem),1fr))] gap-3">
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
              baseName={base === undefined ? '' : `column ${columns.indexOf(base) + 1}`}
              estimate={estimates.get(column.id)}
            />
          ))}
        </div>
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
        estimateUsd={estimateUsd}
        isFocused={isFocused}
      />
    </div>
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

/** In how many columns that can be changed each turn stands. */
function countTurns({ columns }: Experiment): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { isOriginal, turns } of columns) {
    if (!isOriginal) for (const { id } of turns) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
