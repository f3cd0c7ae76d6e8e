import type { Model } from '@model-gateway/core/wire';
import { AudioLines, Code, FlaskConical, Play, Square } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { useStore } from 'zustand';

import type { Caller } from '../../../api/call-api.ts';
import { toOutputModels } from '../../../features/kinds/output-models.ts';
import { setPlaygroundKey } from '../../../features/playground/playground-key.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { copyText } from '../../../parts/controls/copy-button.tsx';
import { LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { LinkButton } from '../../../parts/controls/link-button.tsx';
import { Menu } from '../../../parts/controls/menu.tsx';
import { EmptyState, ScreenHeader } from '../../../parts/messages/states.tsx';
import { showToast } from '../../../parts/messages/toast-store.ts';
import { playgroundMessages } from '../messages.tsx';
import { KindChoice } from './kind-choice.tsx';
import type { KindRuns } from './kind-runs.ts';
import { toKindSnippets } from './kind-snippets.ts';
import type { KindSpec } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';
import { RunCard } from './run-card.tsx';

interface KindBenchProps<Draft, Result> {
  readonly spec: KindSpec<Draft, Result>;
  readonly runs: KindRuns<Draft, Result>;
  readonly caller: Caller;
  readonly models: readonly Model[];
  /** The model that the address names. */
  readonly named: string | undefined;
}

/** The workbench of a kind: what is sent on the left, what has come on the right, the latest first. */
export function KindBench<Draft, Result>({ spec, runs, caller, models, named }: KindBenchProps<Draft, Result>) {
  const t = benchKindMessages();
  const { kind } = spec;
  const usable = toOutputModels(models, kind);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 px-4 py-3">
      <ScreenHeader title={playgroundMessages().title}>
        {(caller.key ?? caller.keyHash) !== undefined && (
          <Button look="quiet" onClick={() => setPlaygroundKey(null)}>
            {playgroundMessages().header.changeKey}
          </Button>
        )}
      </ScreenHeader>
      <KindChoice kind={kind} />
      {usable.length === 0 ? (
        <EmptyState icon={<AudioLines size={22} />} title={t.noModels(t.names[kind])}>
          <p>{t.noModelsHint}</p>
          <LinkButton to="/providers">{t.addProvider}</LinkButton>
        </EmptyState>
      ) : (
        <Bench spec={spec} runs={runs} caller={caller} models={usable} named={named} />
      )}
    </div>
  );
}

function Bench<Draft, Result>({ spec, runs, caller, models, named }: KindBenchProps<Draft, Result>) {
  const t = benchKindMessages();
  const state = useStore(runs);
  const { draft } = state;
  const model = models.find(({ id }) => id === state.model) ?? models[0];
  useEffect(() => {
    if (named !== undefined) runs.setState({ model: named });
  }, [runs, named]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus();
  }, [spec]);
  if (model === undefined) return null;
  const isRunning = state.runs[0]?.status === 'running';
  const run = (): void => {
    const problem = spec.findProblem(draft);
    if (problem !== undefined) showToast({ tone: 'neutral', title: problem });
    else void runs.start(model.id, draft, (signal) => spec.send(model.id, draft, { caller, signal }));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && isRunning) return runs.stop();
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    run();
  };
  return (
    <div className="scroll-thin -mx-1 flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-1 lg:flex-row lg:overflow-hidden">
      <form
        ref={form}
        aria-label={t.request}
        noValidate
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
        className="card scroll-thin flex shrink-0 flex-col gap-4 p-4 lg:w-96 lg:self-start lg:overflow-y-auto lg:max-h-full"
      >
        <LabelledSelect
          label={t.model}
          value={model.id}
          options={models.map(({ id }) => id)}
          onChange={(next) => runs.setState({ model: next })}
        />
        <spec.Fields
          draft={draft}
          model={model}
          onChange={(change) => runs.setState((before) => ({ draft: { ...before.draft, ...change } }))}
        />
        <div className="flex flex-wrap items-center gap-2">
          {isRunning ? (
            <Button look="primary" icon={<Square size={14} />} onClick={() => runs.stop()}>
              {t.stop}
            </Button>
          ) : (
            <Button look="primary" type="submit" icon={<Play size={14} />} title={t.runKeys}>
              {t.run}
            </Button>
          )}
          <Menu
            trigger={
              <Button look="quiet" icon={<Code size={15} />}>
                {t.code}
              </Button>
            }
            items={toKindSnippets({
              kind: spec.kind,
              path: spec.path,
              body: { model: model.id, ...spec.toBody(draft) },
            }).map(({ label, text }) => ({
              label,
              icon: <Code size={14} />,
              onSelect: () => void copyText(text, t.copied(label)),
            }))}
          />
        </div>
      </form>
      <Results spec={spec} runs={runs} />
    </div>
  );
}

function Results<Draft, Result>({ spec, runs }: Pick<KindBenchProps<Draft, Result>, 'spec' | 'runs'>) {
  const t = benchKindMessages();
  const state = useStore(runs);
  if (state.runs.length === 0) {
    return (
      <section aria-label={t.results} className="min-w-0 flex-1">
        <EmptyState icon={<FlaskConical size={22} />} title={t.nothingYet}>
          {t.empty[spec.kind]}
        </EmptyState>
      </section>
    );
  }
  return (
    <section
      aria-label={t.results}
      className="scroll-thin flex min-w-0 flex-1 flex-col gap-3 lg:overflow-y-auto lg:pr-1"
    >
      {state.runs.map((run) => (
        <RunCard key={run.id} run={run}>
          {run.outcome !== null && <spec.Result draft={run.draft} result={run.outcome.result} />}
        </RunCard>
      ))}
    </section>
  );
}
