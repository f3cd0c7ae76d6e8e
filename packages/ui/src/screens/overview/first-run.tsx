import { hasTokenPrices } from '@model-gateway/clients';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useStore } from 'zustand';

import { keysQuery, modelsQuery, providersQuery } from '../../api/queries.ts';
import { getDesktop, useDesktopInfo } from '../../app/desktop.ts';
import { createRun } from '../../features/playground/create-run.ts';
import { fitToLimit } from '../../features/playground/fit-to-limit.ts';
import { KeyCard, UnpricedNote } from '../../features/playground/key-card.tsx';
import { findUsableKeys, PLAYGROUND_KEY_NAME, usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { streamChat } from '../../features/playground/stream-chat.ts';
import { AddProvider } from '../../features/providers/setup/add-provider.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { ErrorPanel, FailurePanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { useOutcome } from '../../parts/messages/toast-store.ts';
import { PlainText } from '../../parts/text/plain-text.tsx';

const ConnectTool = lazy(async () => ({
  default: (await import('../../features/connect/connect-tool.tsx')).ConnectTool,
}));

const STEPS = ['Add a provider', 'Send a test request', 'Create a key', 'Connect a tool'] as const;
const LAST = STEPS.length - 1;

/** The first four steps. May be skipped, and taken again later. A step is done when that has been seen, not before. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const [step, setStep] = useState(0);
  const [isTested, setIsTested] = useState(false);
  const [isCalled, setIsCalled] = useState(false);
  const [toolId, setToolId] = useState<string>();
  const [isConnected, setIsConnected] = useState(false);
  const { data: keys = [] } = useQuery(keysQuery);
  const client = useQueryClient();
  const hasKey = findUsableKeys(keys).some(({ name }) => name !== PLAYGROUND_KEY_NAME);
  // A tool that has got a completion has tested everything before it, too.
  const hasWorked = isCalled || isConnected;
  const areDone = [isTested || hasWorked, hasWorked, hasKey, isConnected];
  const { data: providers = [] } = useQuery(providersQuery);
  // Until then the step itself has the one primary button.
  const isLead = [providers.length > 0, hasWorked, false, true][step];
  const finish = (): void => {
    onDone();
    void client.invalidateQueries();
  };
  return (
    <div className="mx-auto flex w-full max-w-3xl flex-col gap-5 p-4 py-8">
      <header>
        <h1 className="text-2xl font-semibold tracking-tight">Welcome</h1>
        <p className="text-ink-soft">Four steps to route any OpenAI-compatible tool through your gateway.</p>
      </header>
      <ol className="flex flex-wrap gap-x-6 gap-y-2">
        {STEPS.map((name, at) => (
          <StepMark key={name} name={name} at={at} isCurrent={at === step} isDone={areDone[at] === true} />
        ))}
      </ol>
      <div className="card p-5">
        {step === 0 && <ProviderStep onTested={() => setIsTested(true)} />}
        {step === 1 && <CallStep onCalled={() => setIsCalled(true)} />}
        {/* One for both steps: the key is shown once, and stays in sight while its first call is waited for. */}
        {step >= 2 && (
          <Step title={toolId === undefined ? 'Which tool do you want to connect?' : undefined}>
            {toolId === undefined && (
              <p className="text-sm">It gets its own key, so you can track, limit and revoke it.</p>
            )}
            <Suspense fallback={<Loading what="the tools" />}>
              <ConnectTool
                toolId={toolId}
                onChoose={(id) => {
                  setToolId(id);
                  setStep(2);
                }}
                onMade={() => setStep(LAST)}
                onConnected={() => setIsConnected(true)}
              />
            </Suspense>
          </Step>
        )}
      </div>
      <div className="flex justify-between">
        <Button look="quiet" onClick={finish}>
          Skip
        </Button>
        <div className="flex gap-2">
          {step > 0 && <Button onClick={() => setStep(step - 1)}>Back</Button>}
          <Button look={isLead ? 'primary' : 'plain'} onClick={() => (step === LAST ? finish() : setStep(step + 1))}>
            {step === LAST ? 'Done' : 'Next'}
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
      <Step title={providers.length === 1 ? 'Provider ready' : `${providers.length} providers ready`}>
        <p className="text-sm">{providers.map(({ name }) => name).join(', ')}.</p>
        {providers.some(({ slug }) => slug === 'demo') && (
          <p className="text-sm text-ink-soft">The demo responds from recordings: no network, no key, no cost.</p>
        )}
        <DemoSwitch />
        {add}
      </Step>
    );
  }
  return (
    <Step title="Add your first provider">
      <p className="text-sm">Paste an API key or pick a local model server. It is tested, and live right away.</p>
      {add}
      {getDesktop() === undefined ? <DemoInstead /> : <DemoSwitch />}
    </Step>
  );
}

/** In the desktop app, the way into the demo and out of it; elsewhere nothing, as the command decides. */
function DemoSwitch() {
  const info = useDesktopInfo();
  const { ask, isBusy } = useOutcome();
  if (info === null) return null;
  const isDemo = info.state.isDemo === true;
  if (!isDemo && info.settings.demo) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button isBusy={isBusy} onClick={() => void ask(getDesktop()?.changeSettings({ demo: !isDemo }))}>
        {isDemo ? 'Leave the demo and add a provider' : 'Look around in the demo'}
      </Button>
      {!isDemo && <p className="text-sm text-ink-soft">Recorded responses: no network, no key, no cost.</p>}
    </div>
  );
}

function AddButton({ isFirst, onTested }: { isFirst: boolean; onTested: () => void }) {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <Button look={isFirst ? 'primary' : 'plain'} icon={<Plus size={15} />} onClick={() => setIsAdding(true)}>
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
  const { data: keys = [], error, refetch } = useQuery(keysQuery);
  const { data: models } = useQuery(modelsQuery);
  const [run] = useState(() => createRun(requestAnimationFrame, () => performance.now()));
  const state = useStore(run);
  useEffect(() => {
    if (state.status === 'done') onCalled();
  }, [state.status, onCalled]);
  if (caller === undefined && error !== null)
    return <ErrorPanel error={error} title="The keys could not be loaded" onRetry={() => void refetch()} />;
  if (caller === undefined) return <Loading what="the keys" />;
  if (caller === null) return <KeyCard title="A test request needs an API key" />;
  const texts = models?.filter(({ architecture }) => architecture.output_modalities.includes('text'));
  const model = (texts?.find(hasTokenPrices) ?? texts?.[0])?.id;
  const isLimited = keys.some(({ hash, limit }) => hash === caller.keyHash && limit !== null);
  if (model === undefined) return <p className="text-sm">No models yet. Go back and add a provider.</p>;
  const send = (): void => {
    const messages = [{ role: 'user' as const, content: 'Hello!' }];
    const request = { model, stream: true, user: 'playground', messages };
    void run.start(async function* (signal) {
      yield* streamChat(await fitToLimit(request, caller), caller, signal);
    });
  };
  return (
    <Step title={`Say hello to ${model}`}>
      {isLimited && texts?.some(hasTokenPrices) === false && <UnpricedNote unpriced={texts.map(({ id }) => id)} />}
      <Button
        look={state.status === 'done' ? 'plain' : 'primary'}
        isBusy={state.status === 'waiting' || state.status === 'streaming'}
        onClick={send}
      >
        Send “Hello!”
      </Button>
      {state.text !== '' && (
        <div className="rounded-lg bg-raised p-3">
          <PlainText text={state.text} />
        </div>
      )}
      {state.status === 'done' && <p className="text-sm text-good">It works. The call is listed under Generations.</p>}
      {state.status === 'failed' && <FailurePanel error={state.error} title="The call failed" onRetry={send} />}
    </Step>
  );
}

function Step({ title, children }: { title: string | undefined; children: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-3">
      {title !== undefined && <h2 className="text-base font-semibold">{title}</h2>}
      {children}
    </div>
  );
}

/** Its data and its port are its own, so that both can run. */
const COMMAND = 'model-gateway serve --demo --port 8856';

/** How to look around without a provider. A gateway that runs cannot become the demo, whose keys everybody knows. */
function DemoInstead() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex w-full flex-col items-start gap-2">
      <Button look="quiet" className="-ml-2.5" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        Try the demo instead
      </Button>
      {isOpen && (
        <div className="flex w-full flex-col gap-2 rounded-lg bg-raised p-3 text-sm">
          <p className="text-ink-soft">
            Recorded responses: no network, no key, no cost. It runs beside this gateway with its own data. Start it in
            a terminal and open the printed link:
          </p>
          <div className="flex items-center justify-between gap-2">
            <code className="min-w-0 font-mono text-xs break-all">{COMMAND}</code>
            <CopyButton text={COMMAND} label="Copy" />
          </div>
        </div>
      )}
    </div>
  );
}
