import { CircleCheck, CirclePause, Pause, Play, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { getDesktop } from '../app/desktop.ts';
import type { Mode, PanelCall, PanelInfo } from '../desktop-bridge.ts';
import { type Language, MESSAGES, type Messages } from '../messages/index.ts';
import { Badge } from '../parts/badge.tsx';
import { classNames } from '../parts/class-names.ts';
import { Button } from '../parts/controls/button.tsx';
import { walkRadios } from '../parts/controls/field.tsx';

/** Shows the quick panel alone, without the frame of the screens. */
export function showPanel(host: HTMLElement): void {
  createRoot(host).render(<QuickPanel />);
}

/** The state of the gateway at a glance: the page of the desktop app's small window. */
function QuickPanel() {
  const info = usePanelInfo();
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const closeOnEscape = ({ key }: KeyboardEvent): void => void (key === 'Escape' && globalThis.close());
    document.addEventListener('keydown', closeOnEscape);
    return () => document.removeEventListener('keydown', closeOnEscape);
  }, []);
  if (info === null) return null;
  const messages = MESSAGES[info.language];
  const words = messages.panel;
  const ask = async (action: Promise<{ done: boolean; message: string }> | undefined): Promise<void> => {
    const outcome = await action?.catch(() => undefined);
    setProblem(outcome === undefined ? words.notReached : outcome.message);
  };
  const bridge = getDesktop();
  return (
    <main className="scroll-thin flex h-full flex-col gap-3 overflow-y-auto border border-line-strong/50 bg-ground p-3">
      <h1 className="sr-only">{words.title}</h1>
      <State info={info} />
      <Figures info={info} words={words} />
      <CallList info={info} words={words} onOpen={(id) => void ask(bridge?.openPlace(toPlace(id)))} />
      <ModeChoice
        info={info}
        messages={messages}
        onChange={(mode: Mode) => void ask(bridge?.changeSettings({ mode }))}
      />
      <p role="status" className="text-xs break-words text-caution empty:hidden">
        {problem}
      </p>
      <footer className="mt-auto flex flex-wrap gap-2">
        <Button look="primary" onClick={() => void ask(bridge?.openPlace(''))}>
          {words.open}
        </Button>
        <CopyAddress info={info} words={words} />
        <PauseButton info={info} words={words} onChange={(isPaused) => void ask(bridge?.setPaused(isPaused))} />
      </footer>
    </main>
  );
}

const toPlace = (id: string): string => `generations/${encodeURIComponent(id)}`;

/** What the app says, now and after every change; null until it has. */
function usePanelInfo(): PanelInfo | null {
  const [info, setInfo] = useState<PanelInfo | null>(null);
  useEffect(() => {
    const bridge = getDesktop();
    // The app may be quitting; then what is shown stays.
    const read = (): void => void bridge?.panel().then(setInfo, () => undefined);
    const end = bridge?.onChange(read);
    read();
    return end;
  }, []);
  useEffect(() => {
    if (info === null) return;
    document.documentElement.lang = info.language;
    document.title = MESSAGES[info.language].panel.title;
  }, [info]);
  return info;
}

/** The icons differ in shape as well as in colour. */
function State({ info: { phase, stateText, baseUrl } }: { info: PanelInfo }) {
  const isTrouble = phase === 'not-listening' || phase === 'failed';
  const [Icon, look] = isTrouble
    ? [TriangleAlert, 'text-caution']
    : phase === 'paused'
      ? [CirclePause, 'text-ink-faint']
      : [CircleCheck, 'text-good'];
  return (
    <header className="flex items-start gap-2">
      <Icon size={18} className={`mt-0.5 shrink-0 ${look}`} />
      <div className="min-w-0">
        <p className="font-semibold break-words">{stateText}</p>
        {baseUrl !== null && <p className="truncate font-mono text-xs text-ink-soft">{baseUrl}</p>}
      </div>
    </header>
  );
}

interface PartProps {
  readonly info: PanelInfo;
  readonly words: Messages['panel'];
}

function Figures({ info: { language, today, openCalls }, words }: PartProps) {
  const { number, usd } = createFormats(language);
  const figures = [
    [words.spentToday, usd(today.costUsd)],
    [words.callsToday(today.requests), number(today.requests)],
    [words.openCalls, number(openCalls)],
  ] as const;
  return (
    <dl className="card flex flex-wrap justify-between gap-x-4 gap-y-1 px-3 py-2">
      {figures.map(([label, value]) => (
        <div key={label} className="flex min-w-0 flex-col-reverse justify-end">
          <dt className="text-xs break-words text-ink-faint">{label}</dt>
          <dd className="figures truncate text-base font-semibold">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function CopyAddress({ info: { baseUrl }, words }: PartProps) {
  const [isCopied, setIsCopied] = useState(false);
  // By the app, because a page may write to the clipboard only while its window has the focus.
  const copy = async (): Promise<void> => setIsCopied((await getDesktop()?.copyAddress())?.done === true);
  return (
    <Button disabled={baseUrl === null} onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? words.copied : words.copy}</span>
    </Button>
  );
}

function PauseButton({ info: { phase }, words, onChange }: PartProps & { onChange: (isPaused: boolean) => void }) {
  const isPaused = phase === 'paused';
  return (
    <Button
      disabled={!isPaused && phase !== 'listening'}
      icon={isPaused ? <Play size={14} /> : <Pause size={14} />}
      onClick={() => onChange(!isPaused)}
    >
      {isPaused ? words.goOn : words.pause}
    </Button>
  );
}

interface CallListProps {
  readonly info: PanelInfo;
  readonly words: Messages['panel'];
  readonly onOpen: (id: string) => void;
}

const TONES = { ok: 'good', failed: 'bad', cancelled: 'neutral', interrupted: 'bad' } as const;

/** The latest calls, newest first. Each opens in the main window. */
function CallList({ info: { language, latest }, words, onOpen }: CallListProps) {
  const { time, usd } = createFormats(language);
  const costOf = ({ costUsd }: PanelCall): string => (costUsd === null ? '—' : usd(costUsd));
  return (
    <section aria-label={words.latest} className="card flex shrink-0 grow flex-col p-1">
      <h2 className="px-2 pt-1 text-xs font-medium text-ink-faint">{words.latest}</h2>
      {latest.length === 0 ? (
        <p className="px-2 py-3 text-sm text-ink-faint">{words.noCalls}</p>
      ) : (
        <ul className="flex grow flex-col">
          {latest.map((call) => (
            <li key={call.id} className="flex max-h-11 grow">
              <button
                type="button"
                onClick={() => onOpen(call.id)}
                className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-raised"
              >
                <span className="figures shrink-0 text-xs text-ink-faint">{time(call.at)}</span>
                <span title={call.model} className="min-w-0 flex-1 truncate">
                  {call.model}
                </span>
                <span title={call.costUsd === null ? words.unknownCost : undefined} className="figures text-xs">
                  {costOf(call)}
                </span>
                <Badge tone={TONES[call.status]}>{words.statuses[call.status]}</Badge>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Numbers, money and times as a language writes them. */
function createFormats(language: Language) {
  const region = { en: 'en-US', de: 'de-DE' }[language];
  const clock = new Intl.DateTimeFormat(region, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return {
    number: (value: number): string => new Intl.NumberFormat(region).format(value),
    time: (at: number): string => clock.format(at),
    /** In cents; below one cent with four digits. */
    usd(value: number): string {
      const digits = value > 0 && value < 0.01 ? { maximumSignificantDigits: 4 } : {};
      return new Intl.NumberFormat(region, { style: 'currency', currency: 'USD', ...digits }).format(value);
    },
  };
}

interface ModeChoiceProps {
  readonly info: PanelInfo;
  readonly messages: Messages;
  readonly onChange: (mode: Mode) => void;
}

const MODES: readonly Mode[] = ['live', 'replay', 'record'];

/** The modes side by side; one that is of no use at the moment says why. */
function ModeChoice({ info: { mode, isDemo, obstacles }, messages, onChange }: ModeChoiceProps) {
  return (
    <div
      role="radiogroup"
      aria-label={messages.panel.mode}
      onKeyDown={walkRadios}
      className="flex rounded-md border border-line-strong/50 bg-surface p-0.5"
    >
      {MODES.map((option) => {
        const obstacle = obstacles[option] ?? null;
        return (
          <button
            key={option}
            type="button"
            role="radio"
            aria-checked={option === mode}
            tabIndex={option === mode ? 0 : -1}
            disabled={obstacle !== null}
            title={obstacle ?? undefined}
            onClick={() => onChange(option)}
            className={classNames(
              'min-h-7 flex-auto rounded px-2 text-sm whitespace-nowrap disabled:opacity-55',
              option === mode ? 'bg-accent-soft font-medium text-accent' : 'text-ink-soft hover:text-ink',
            )}
          >
            {isDemo && option === 'live' ? messages.modes.demo : messages.modes[option]}
          </button>
        );
      })}
    </div>
  );
}
