import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Plus } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';

import { keysQuery, modelsQuery, providersQuery } from '../../api/queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ErrorPanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { hasTokenPrices } from '../models/price-facts.ts';
import { createRun, type Run } from '../playground/create-run.ts';
import { KeyCard, UnpricedNote } from '../playground/key-card.tsx';
import { findUsableKeys, PLAYGROUND_KEY_NAME, usePlaygroundCaller } from '../playground/playground-key.ts';
import { streamChat } from '../playground/stream/stream-chat.ts';
import { AddProvider } from '../providers/setup/add-provider.tsx';
import { providerSetupsQuery } from '../providers/setup/setup-queries.ts';
import { KeyStep } from './key-step.tsx';

const STEPS = ['A provider', 'A test call', 'A key for your tool'] as const;

/** The first three steps. May be skipped, and taken again later. A step is done when that has been seen, not before. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState(0);
  const [isTested, setIsTested] = useState(false);
  const [isCalled, setIsCalled] = useState(false);
  const { data: keys = [] } = useQuery(keysQuery);
  const client = useQueryClient();
  const hasKey = findUsableKeys(keys).some(({ name }) => name !== PLAYGROUND_KEY_NAME);
  const areDone = [isTested || isCalled, isCalled, hasKey];
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
          <StepMark key={name} name={name} at={at} isCurrent={at === step} isDone={areDone[at] === true} />
        ))}
      </ol>
      <div className="card p-5">
        {step === 0 && <ProviderStep onTested={() => setIsTested(true)} />}
        {step === 1 && <CallStep onCalled={() => setIsCalled(true)} />}
        {step === 2 && <KeyStep hasKey={hasKey} />}
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

interface StepMarkProps {
  readonly name: string;
  readonly at: number;
  readonly isCurrent: boolean;
  readonly isDone: boolean;
}

function StepMark({ name, at, isCurrent, isDone }: StepMarkProps) {
  const look = isDone ? 'bg-good-soft text-good' : isCurrent ? 'bg-accent text-accent-ink' : 'bg-raised';
  return (
    <li
      aria-current={isCurrent ? 'step' : undefined}
      className={`flex items-center gap-2 text-sm ${isCurrent ? 'font-semibold' : 'text-ink-faint'}`}
    >
      <span aria-hidden="true" className={`grid size-6 place-items-center rounded-full text-xs ${look}`}>
        {isDone ? <Check size={14} /> : at + 1}
      </span>
      {name}
      {isDone && <span className="sr-only">done</span>}
    </li>
  );
}

function ProviderStep({ onTested }: { onTested: () => void }) {
  const { data: providers, error, refetch } = useQuery(providersQuery);
  const { data: setups } = useQuery(providerSetupsQuery);
  if (error !== null) return <ErrorPanel error={error} onRetry={() => void refetch()} />;
  if (providers === undefined) return <p className="text-sm text-ink-faint">Looking for providers…</p>;
  const add = setups?.editable === true && <AddButton isFirst={providers.length === 0} onTested={onTested} />;
  if (providers.length > 0) {
    return (
      <Step title={providers.length === 1 ? 'There is a provider' : `There are ${providers.length} providers`}>
        <p className="text-sm">{providers.map(({ name }) => name).join(', ')}.</p>
        {providers.some(({ slug }) => slug === 'demo') && (
          <p className="text-sm text-ink-soft">The demo answers from recordings: no network, no key, no cost.</p>
        )}
        {add}
      </Step>
    );
  }
  return (
    <Step title="There is no provider yet">
      <p className="text-sm">
        Paste the key of one, or choose a model server that runs on this machine. It is tested, and in force at once.
      </p>
      {add}
      <p className="text-sm text-ink-soft">
        To look around without a key, start{' '}
        <code className="rounded bg-raised px-1 font-mono text-xs">model-gateway serve --demo</code>: recorded answers,
        no network.
      </p>
    </Step>
  );
}

function AddButton({ isFirst, onTested }: { isFirst: boolean; onTested: () => void }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <Button
        look={isFirst ? 'primary' : 'plain'}
        icon={<Plus size={15} aria-hidden />}
        onClick={() => setIsAdding(true)}
      >
        {isFirst ? 'Add a provider' : 'Add another'}
      </Button>
      {isAdding && (
        <AddProvider
          onClose={() => setIsAdding(false)}
          onSaved={(_slug, isTested) => {
            setIsAdding(false);
            if (isTested) onTested();
          }}
        />
      )}
    </>
  );
}

function CallStep({ onCalled }: { onCalled: () => void }) {
  const caller = usePlaygroundCaller();
  const { data: keys = [] } = useQuery(keysQuery);
  const { data: models } = useQuery(modelsQuery);
  const run = useRef<Run>(null);
  run.current ??= createRun(requestAnimationFrame, () => performance.now());
  const { subscribe, getState, start } = run.current;
  const state = useSyncExternalStore(subscribe, getState);
  useEffect(() => {
    if (state.status === 'done') onCalled();
  }, [state.status, onCalled]);
  if (caller === undefined) return <Loading what="the keys" />;
  if (caller === null) return <KeyCard title="A test call needs an API key" />;
  const texts = models?.filter(({ architecture }) => architecture.output_modalities.includes('text'));
  const model = (texts?.find(hasTokenPrices) ?? texts?.[0])?.id;
  const isLimited = keys.some(({ hash, limit }) => hash === caller.keyHash && limit !== null);
  if (model === undefined) return <p className="text-sm">There is no model to call yet. Go back and add a provider.</p>;
  const send = (): void => {
    const messages = [{ role: 'user' as const, content: 'Hello!' }];
    void start((signal) => streamChat({ model, stream: true, user: 'playground', messages }, caller, signal));
  };
  return (
    <Step title={`Say hello to ${model}`}>
      {isLimited && texts?.some(hasTokenPrices) === false && <UnpricedNote unpriced={texts.map(({ id }) => id)} />}
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
