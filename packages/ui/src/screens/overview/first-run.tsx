import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { type ReactNode, useRef, useState, useSyncExternalStore } from 'react';

import { modelsQuery, providersQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { createRun, type Run } from '../playground/create-run.ts';
import { KeyCard } from '../playground/key-card.tsx';
import { usePlaygroundCaller } from '../playground/playground-key.ts';
import { streamChat } from '../playground/stream/stream-chat.ts';
import { ConnectCard } from './connect-card.tsx';

const STEPS = ['A provider', 'A test call', 'Connect a tool'] as const;

/** The first three steps. May be skipped, and taken again later. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState(0);
  const client = useQueryClient();
  const finish = (): void => {
    onDone();
    void client.invalidateQueries();
  };
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-5 p-4 py-8">
      <header>
        <h1 className="text-2xl font-semibold tracking-tight">Welcome</h1>
        <p className="text-ink-soft">
          Three steps, and every tool that speaks to OpenAI or OpenRouter speaks to this gateway.
        </p>
      </header>
      <ol className="flex flex-wrap gap-x-6 gap-y-2">
        {STEPS.map((name, at) => (
          <li
            key={name}
            aria-current={at === step ? 'step' : undefined}
            className={`flex items-center gap-2 text-sm ${at === step ? 'font-semibold' : 'text-ink-faint'}`}
          >
            <span
              aria-hidden="true"
              className={`grid size-6 place-items-center rounded-full text-xs ${at < step ? 'bg-good-soft text-good' : at === step ? 'bg-accent text-accent-ink' : 'bg-raised'}`}
            >
              {at < step ? <Check size={14} /> : at + 1}
            </span>
            {name}
          </li>
        ))}
      </ol>
      <div className="card p-5">
        {step === 0 && <ProviderStep />}
        {step === 1 && <CallStep />}
        {step === 2 && <ConnectCard />}
      </div>
      <div className="flex justify-between">
        <Button look="quiet" onClick={finish}>
          Skip
        </Button>
        <div className="flex gap-2">
          {step > 0 && <Button onClick={() => setStep(step - 1)}>Back</Button>}
          <Button look="primary" onClick={() => (step === STEPS.length - 1 ? finish() : setStep(step + 1))}>
            {step === STEPS.length - 1 ? 'Done' : 'Next'}
          </Button>
        </div>
      </div>
    </div>
  );
}

function ProviderStep() {
  const { data: providers, error, refetch } = useQuery(providersQuery);
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (providers === undefined) return <p className="text-sm text-ink-faint">Looking for providers…</p>;
  if (providers.length > 0) {
    return (
      <Step title={`${providers.length === 1 ? 'A provider is' : `${providers.length} providers are`} ready`}>
        <p className="text-sm">{providers.map(({ name }) => name).join(', ')}.</p>
        {providers.some(({ slug }) => slug === 'demo') && (
          <p className="text-sm text-ink-soft">The demo answers from recordings: no network, no key, no cost.</p>
        )}
      </Step>
    );
  }
  return (
    <Step title="No provider has a key yet">
      <p className="text-sm">
        Set one of the well-known variables, such as OPENAI_API_KEY or ANTHROPIC_API_KEY, or name providers in the
        configuration file; then start the gateway again.
      </p>
      <p className="text-sm">
        To look around first, start it with <code className="rounded bg-raised px-1 font-mono text-xs">--demo</code>:
        recorded answers, no key.
      </p>
      <Button onClick={() => void refetch()}>Look again</Button>
    </Step>
  );
}

function CallStep() {
  const caller = usePlaygroundCaller();
  const { data: models } = useQuery(modelsQuery);
  const run = useRef<Run>(null);
  run.current ??= createRun(requestAnimationFrame, () => performance.now());
  const { subscribe, getState, start } = run.current;
  const state = useSyncExternalStore(subscribe, getState);
  if (caller === undefined) return <Loading what="the keys" />;
  if (caller === null) return <KeyCard title="A test call needs an API key" />;
  const model = models?.find(({ architecture }) => architecture.output_modalities.includes('text'))?.id;
  if (model === undefined)
    return <p className="text-sm">There is no model to call yet. Go back and configure a provider.</p>;
  const send = (): void => {
    const messages = [{ role: 'user' as const, content: 'Hello!' }];
    void start((signal) => streamChat({ model, stream: true, user: 'playground', messages }, caller, signal));
  };
  return (
    <Step title={`Say hello to ${model}`}>
      <Button look="primary" isBusy={state.status === 'waiting' || state.status === 'streaming'} onClick={send}>
        Send “Hello!”
      </Button>
      {state.text !== '' && (
        <div className="rounded-lg bg-raised p-3">
          <PlainText text={state.text} />
        </div>
      )}
      {state.status === 'done' && <p className="text-sm text-good">It works. The call is listed under Generations.</p>}
      {state.status === 'failed' && <ErrorPanel error={state.error} title="The call failed" onRetry={send} />}
    </Step>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <h2 className="font-semibold">{title}</h2>
      {children}
    </div>
  );
}
