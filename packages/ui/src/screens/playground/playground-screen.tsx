import type { ChatCompletionRequest } from '@model-gateway/core/wire';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Plus, Send, Square } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';

import type { Caller } from '../../api/call-api.ts';
import { modelsQuery } from '../../api/queries.ts';
import { classNames } from '../../parts/class-names.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading, ScreenHeader } from '../../parts/messages/states.tsx';
import { showToast } from '../../parts/messages/toast-store.ts';
import { useShortcut } from '../../shell/shortcuts.ts';
import { contentQuery, generationQuery } from '../generations/content/generation-queries.ts';
import { splitWords } from '../models/model-search.ts';
import { CompletionColumn } from './completion-column.tsx';
import { createRun, type Run } from './create-run.ts';
import { findUnsupported } from './draft/attachments.ts';
import { DraftEditor } from './draft/draft-editor.tsx';
import { type Draft, EMPTY_DRAFT, toDraft, toRequestBody } from './draft/draft.ts';
import { useAttaching } from './draft/use-attaching.ts';
import { KeyCard } from './key-card.tsx';
import { setPlaygroundKey, usePlaygroundCaller } from './playground-key.ts';
import { drawTogether } from './stream/draw-together.ts';
import { streamChat } from './stream/stream-chat.ts';

const MAX_COLUMNS = 4;
const newRun = (): Run => createRun(drawTogether, () => performance.now());

/** One prompt to up to four models at once. Every completion is an ordinary generation. */
export function PlaygroundScreen() {
  const caller = usePlaygroundCaller();
  // Who has just chosen a key goes on with the prompt.
  const wasAsked = useRef(false);
  const { data: models, error, refetch } = useQuery(modelsQuery);
  if (models === undefined && error !== null) {
    return (
      <div className="flex flex-col gap-3 p-4">
        <ScreenHeader title="Playground" />
        <ErrorPanel error={error} title="The models could not be loaded" onRetry={() => void refetch()} />
      </div>
    );
  }
  if (caller === null) {
    wasAsked.current = true;
    return (
      <div className="flex flex-col gap-4 p-4">
        <ScreenHeader title="Playground" />
        <KeyCard title="The playground needs an API key" />
      </div>
    );
  }
  if (models === undefined || caller === undefined) return <Loading what="models" />;
  return (
    <Bench
      key={caller.key ?? caller.keyHash}
      caller={caller}
      firstModel={models[0]?.id ?? ''}
      isFocused={wasAsked.current}
    />
  );
}

interface BenchProps {
  readonly caller: Caller;
  readonly firstModel: string;
  /** The prompt takes the focus. */
  readonly isFocused: boolean;
}

function Bench({ caller, firstModel, isFocused }: BenchProps) {
  const search = useSearch({ from: '/playground' });
  const navigate = useNavigate({ from: '/playground' });
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const chosen = splitWords(search.models).slice(0, MAX_COLUMNS);
  const models = chosen.length === 0 ? [firstModel] : chosen;
  const runs = useRef<Run[]>([]);
  while (runs.current.length < MAX_COLUMNS) runs.current.push(newRun());
  const sent = useRef(new WeakMap<Run, ChatCompletionRequest>());
  useEffect(() => () => runs.current.forEach((run) => run.stop()), []);
  const attaching = useAttaching(draft.attached, (read) =>
    setDraft((before) => ({ ...before, attached: [...before.attached, ...read] })),
  );
  const { data: catalog = [] } = useQuery(modelsQuery);
  const unsupported = findUnsupported(
    catalog.filter(({ id }) => models.includes(id)),
    draft.attached,
  );
  usePrefill(search.from, setDraft);

  const setModels = (next: readonly string[]): void =>
    void navigate({ search: (before) => ({ ...before, models: next.join(',') }), replace: true });
  const send = (): void => {
    const body = toRequestBody(draft);
    if (typeof body === 'string') return showToast({ tone: 'bad', title: body });
    models.forEach((model, at) => {
      const request = { ...body, model };
      const run = runs.current[at];
      if (run === undefined) return;
      sent.current.set(run, request);
      void run.start((signal) => streamChat(request, caller, signal));
    });
  };
  const stopAll = (): void => runs.current.forEach((run) => run.stop());
  const isRunning = useIsRunning(runs.current);
  useShortcut({ keys: 'mod+Enter', label: 'Send', group: 'This screen' }, send);
  useShortcut({ keys: 'Escape', label: 'Stop', group: 'This screen' }, stopAll, isRunning);

  return (
    <div
      {...attaching.handlers}
      // Also from the field in which one has just pressed Ctrl Enter.
      onKeyDown={({ key }) => {
        if (key === 'Escape') stopAll();
      }}
      className={classNames(
        'flex min-h-0 flex-1 flex-col gap-3 p-4',
        attaching.isOver && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
      )}
    >
      <ScreenHeader
        title="Playground"
        note="One prompt, up to four models side by side. Every answer is recorded under Generations."
      >
        {(caller.key ?? caller.keyHash) !== undefined && (
          <Button look="quiet" onClick={() => setPlaygroundKey(null)}>
            Change key
          </Button>
        )}
        <Button
          icon={<Plus size={15} aria-hidden />}
          disabled={models.length >= MAX_COLUMNS}
          onClick={() => setModels([...models, firstModel])}
        >
          Model
        </Button>
        {isRunning ? (
          <Button look="primary" icon={<Square size={14} aria-hidden />} onClick={stopAll}>
            Stop
          </Button>
        ) : (
          <Button look="primary" icon={<Send size={14} aria-hidden />} onClick={send} title="Ctrl Enter">
            Send
          </Button>
        )}
      </ScreenHeader>
      <DraftEditor
        draft={draft}
        onChange={setDraft}
        onSend={send}
        onFiles={attaching.add}
        unsupported={unsupported}
        isFocused={isFocused}
      />
      <div className="grid min-h-80 flex-1 auto-rows-[minmax(16rem,1fr)] grid-cols-[repeat(auto-fit,minmax(min(100%,19rem),1fr))] gap-3">
        {models.map((model, at) => {
          const run = runs.current[at];
          return run === undefined ? null : (
            <CompletionColumn
              // The place, not the model: changing a column's model keeps its completion until the next is sent.
              key={at}
              run={run}
              model={model}
              readSent={() => sent.current.get(run)}
              onModel={(next) => setModels(models.with(at, next))}
              onRemove={
                models.length === 1
                  ? undefined
                  : () => {
                      run.stop();
                      runs.current = [...runs.current.filter((other) => other !== run), newRun()];
                      setModels(models.filter((_, other) => other !== at));
                    }
              }
            />
          );
        })}
      </div>
    </div>
  );
}

function useIsRunning(runs: readonly Run[]): boolean {
  return useSyncExternalStore(
    (listener) => {
      const ends = runs.map((run) => run.subscribe(listener));
      return () => ends.forEach((end) => end());
    },
    () => runs.some((run) => ['waiting', 'streaming'].includes(run.getState().status)),
  );
}

/** Takes the prompt of a generation, and its model. */
function usePrefill(id: string | undefined, setDraft: (draft: Draft) => void): void {
  const navigate = useNavigate({ from: '/playground' });
  const { data: generation } = useQuery({ ...generationQuery(id ?? ''), enabled: id !== undefined });
  const { data: content } = useQuery({ ...contentQuery(id ?? ''), enabled: id !== undefined });
  useEffect(() => {
    if (generation === undefined || content === undefined) return;
    const { messages, prompt } = content.input;
    setDraft(toDraft(messages ?? [{ role: 'user', content: prompt }]));
    void navigate({ search: { models: generation.model }, replace: true });
  }, [generation, content, setDraft, navigate]);
}
