import { hasTokenPrices } from '@model-gateway/clients';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useStore } from 'zustand';

import { keysQuery, modelsQuery, providersQuery } from '../../api/queries.ts';
import { getDesktop, useDesktopInfo } from '../../app/desktop.ts';
import { createRun } from '../../features/playground/create-run.ts';
import { fitToLimit } from '../../features/playground/fit-to-limit.ts';
import { KeyCard, UnpricedNote } from '../../features/playground/key-card.tsx';
import { usePlaygroundCaller } from '../../features/playground/playground-key.ts';
import { streamChat } from '../../features/playground/stream-chat.ts';
import { AddProvider } from '../../features/providers/setup/add-provider.tsx';
import { providerSetupsQuery } from '../../features/providers/setup/setup-queries.ts';
import { Button } from '../../parts/controls/button.tsx';
import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { ErrorPanel, FailurePanel } from '../../parts/messages/error-panel.tsx';
import { Loading } from '../../parts/messages/states.tsx';
import { useOutcome } from '../../parts/messages/toast-store.ts';
import { useLastingFailure } from '../../parts/messages/use-lasting-failure.ts';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { StepSign } from './checklist.tsx';
import { firstRunMessages } from './first-run-messages.ts';
import { STEP_COUNT, useFirstSteps } from './first-steps.ts';
import { overviewMessages } from './messages.ts';

const ConnectTool = lazy(async () => ({
  default: (await import('../../features/connect/connect-tool.tsx')).ConnectTool,
}));

const LAST = STEP_COUNT - 1;

interface FirstRunProps {
  /** The step that it begins with. */
  readonly from: number;
  readonly onDone: () => void;
}

/** The first four steps. May be skipped, and taken again later. A step is done when that has been seen, not before. */
export function FirstRun({ from, onDone }: FirstRunProps) {
  const t = firstRunMessages();
  const [step, setStep] = useState(from);
  const [isTested, setIsTested] = useState(false);
  const [isCalled, setIsCalled] = useState(false);
  const [toolId, setToolId] = useState<string>();
  const [isConnected, setIsConnected] = useState(false);
  const client = useQueryClient();
  const { done } = useFirstSteps(true);
  // A tool that has got a completion has tested everything before it, too. What is seen here is seen at once.
  const hasWorked = isCalled || isConnected || done[1] === true;
  const areDone = [
    isTested || hasWorked || done[0] === true,
    hasWorked,
    done[2] === true,
    isConnected || done[3] === true,
  ];
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
        <h1 className="text-2xl font-semibold tracking-tight">{t.welcome}</h1>
        <p className="text-ink-soft">{t.about}</p>
      </header>
      <ol className="grid grid-cols-2 gap-x-6 gap-y-2 sm:flex sm:flex-wrap">
        {overviewMessages().steps.names.map((name, at) => (
          <StepMark key={name} name={name} at={at} isCurrent={at === step} isDone={areDone[at] === true} />
        ))}
      </ol>
      <div className="card p-5">
        {step === 0 && <ProviderStep onTested={() => setIsTested(true)} />}
        {step === 1 && <CallStep onCalled={() => setIsCalled(true)} />}
        {/* One for both steps: the key is shown once, and stays in sight while its first call is waited for. */}
        {step >= 2 && (
          <Step title={toolId === undefined ? t.whichTool : undefined}>
            {toolId === undefined && <p className="text-sm">{t.ownKey}</p>}
            <Suspense fallback={<Loading what={t.tools} />}>
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
        <Button look="quiet" className="-ml-2.5" onClick={finish}>
          {t.skip}
        </Button>
        <div className="flex gap-2">
          {step > 0 && <Button onClick={() => setStep(step - 1)}>{t.back}</Button>}
          <Button look={isLead ? 'primary' : 'plain'} onClick={() => (step === LAST ? finish() : setStep(step + 1))}>
            {step === LAST ? t.finish : t.next}
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
  return (
    <li
      aria-current={isCurrent ? 'step' : undefined}
      className={`flex items-center gap-2 text-sm ${isCurrent ? 'font-semibold' : 'text-ink-faint'}`}
    >
      <StepSign at={at} isDone={isDone} isCurrent={isCurrent} />
      {name}
      {isDone && <span className="sr-only">{firstRunMessages().done}</span>}
    </li>
  );
}

function ProviderStep({ onTested }: { onTested: () => void }) {
  const t = firstRunMessages();
  const query = useQuery(providersQuery);
  const { data: providers } = query;
  const failure = useLastingFailure(query);
  const { data: setups } = useQuery(providerSetupsQuery);
  if (failure !== null) return <ErrorPanel error={failure} onRetry={() => void query.refetch()} />;
  if (providers === undefined) return <p className="text-sm text-ink-faint">{t.looking}</p>;
  const add = setups?.editable === true && <AddButton isFirst={providers.length === 0} onTested={onTested} />;
  if (providers.length > 0) {
    return (
      <Step title={t.ready(providers.length)}>
        <p className="text-sm">{providers.map(({ name }) => name).join(', ')}.</p>
        {providers.some(({ slug }) => slug === 'demo') && <p className="text-sm text-ink-soft">{t.demoReady}</p>}
        <DemoSwitch />
        {add}
      </Step>
    );
  }
  return (
    <Step title={t.addFirst}>
      <p className="text-sm">{t.addAbout}</p>
      {add}
      {getDesktop() === undefined ? <DemoInstead /> : <DemoSwitch />}
    </Step>
  );
}

/** In the desktop app, the way into the demo and out of it; elsewhere nothing, as the command decides. */
function DemoSwitch() {
  const t = firstRunMessages();
  const info = useDesktopInfo();
  const { ask, isBusy } = useOutcome();
  if (info === null) return null;
  const isDemo = info.state.isDemo === true;
  if (!isDemo && info.settings.demo) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button isBusy={isBusy} onClick={() => void ask(getDesktop()?.changeSettings({ demo: !isDemo }))}>
        {isDemo ? t.leaveDemo : t.enterDemo}
      </Button>
      {!isDemo && <p className="text-sm text-ink-soft">{t.recorded}</p>}
    </div>
  );
}

function AddButton({ isFirst, onTested }: { isFirst: boolean; onTested: () => void }) {
  const t = firstRunMessages();
  const [isAdding, setIsAdding] = useState(false);
  return (
    <>
      <Button look={isFirst ? 'primary' : 'plain'} icon={<Plus size={15} />} onClick={() => setIsAdding(true)}>
        {isFirst ? t.add : t.addAnother}
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
  const t = firstRunMessages();
  const caller = usePlaygroundCaller();
  const { data: keys = [], error, refetch } = useQuery(keysQuery);
  const { data: models } = useQuery(modelsQuery);
  const [run] = useState(() => createRun(requestAnimationFrame, () => performance.now()));
  const state = useStore(run);
  useEffect(() => {
    if (state.status === 'done') onCalled();
  }, [state.status, onCalled]);
  if (caller === undefined && error !== null)
    return <ErrorPanel error={error} title={t.keysFailed} onRetry={() => void refetch()} />;
  if (caller === undefined) return <Loading what={t.keys} />;
  if (caller === null) return <KeyCard title={t.needsKey} />;
  const texts = models?.filter(({ architecture }) => architecture.output_modalities.includes('text'));
  const model = (texts?.find(hasTokenPrices) ?? texts?.[0])?.id;
  const isLimited = keys.some(({ hash, limit }) => hash === caller.keyHash && limit !== null);
  if (model === undefined) return <p className="text-sm">{t.noModels}</p>;
  const send = (): void => {
    const messages = [{ role: 'user' as const, content: t.greeting }];
    const request = { model, stream: true, user: 'playground', messages };
    void run.start(async function* (signal) {
      yield* streamChat(await fitToLimit(request, caller), caller, signal);
    });
  };
  return (
    <Step title={t.sayHello(model)}>
      {isLimited && texts?.some(hasTokenPrices) === false && <UnpricedNote unpriced={texts.map(({ id }) => id)} />}
      <Button
        look={state.status === 'done' ? 'plain' : 'primary'}
        isBusy={state.status === 'waiting' || state.status === 'streaming'}
        onClick={send}
      >
        {t.send(t.greeting)}
      </Button>
      {state.text !== '' && (
        <div className="rounded-lg bg-raised p-3">
          <PlainText text={state.text} />
        </div>
      )}
      {state.status === 'done' && <p className="text-sm text-good">{t.works}</p>}
      {state.status === 'failed' && <FailurePanel error={state.error} title={t.failed} onRetry={send} />}
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
const COMMAND = 'npx model-gateway serve --demo --port 8856';

/** How to look around without a provider. A gateway that runs cannot become the demo, whose keys everybody knows. */
function DemoInstead() {
  const t = firstRunMessages();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="flex w-full flex-col items-start gap-2">
      <Button look="quiet" className="-ml-2.5" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {t.tryDemo}
      </Button>
      {isOpen && (
        <div className="flex w-full flex-col gap-2 rounded-lg bg-raised p-3 text-sm">
          <p className="text-ink-soft">{t.demoAbout}</p>
          <div className="flex items-center justify-between gap-2">
            <code className="min-w-0 font-mono text-xs break-all">{COMMAND}</code>
            <CopyButton text={COMMAND} label={t.copy} />
          </div>
        </div>
      )}
    </div>
  );
}
