import { TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';

import { getDesktop, useDesktopInfo } from '../app/desktop.ts';
import { Button } from '../parts/controls/button.tsx';
import { useOutcome } from '../parts/messages/toast-store.ts';
import { partMessages } from '../parts/part-messages.ts';
import { portMessages } from './port-messages.ts';

/** Says under the desktop app why other programs cannot call the gateway, with the ways out. Else nothing. */
export function PortBanner() {
  const info = useDesktopInfo();
  const [isChanging, setIsChanging] = useState(false);
  const { ask, isBusy } = useOutcome();
  if (info === null) return null;
  const t = portMessages();
  const { tryAgain } = partMessages().actions;
  const { phase, kind, message, port, freePort } = info.state;
  const retry = (at: number | null): void => void ask(getDesktop()?.retryPort(at));
  if (phase === 'paused')
    return (
      <Banner title={t.paused} text={t.pausedNote}>
        <Button onClick={() => void ask(getDesktop()?.setPaused(false))}>{t.resume}</Button>
      </Banner>
    );
  if (phase === 'failed')
    return (
      <Banner title={t.failed} text={message ?? t.failedNote}>
        <Button onClick={() => retry(null)}>{tryAgain}</Button>
        <Button look="quiet" onClick={() => void ask(getDesktop()?.openLogs())}>
          {t.openLogs}
        </Button>
      </Banner>
    );
  if (phase !== 'not-listening') return null;
  return (
    <Banner
      title={t.notReached(port ?? info.settings.port)}
      // Its further lines tell what to type, for those who have started the server from a shell.
      text={`${message?.split('\n')[0] ?? ''} ${t.advice[kind ?? 'other']} ${t.windowWorks}`}
    >
      <Button disabled={isBusy} onClick={() => retry(null)}>
        {tryAgain}
      </Button>
      {/* Never moved to by itself: programs have the old one. */}
      <Button disabled={isBusy} onClick={() => retry(freePort ?? 0)}>
        {t.usePort(freePort ?? null)}
      </Button>
      <Button look="quiet" aria-expanded={isChanging} onClick={() => setIsChanging(!isChanging)}>
        {t.change}
      </Button>
      {isChanging && <PortForm port={info.settings.port} onSaved={() => setIsChanging(false)} />}
    </Banner>
  );
}

interface BannerProps {
  readonly title: string;
  readonly text: string;
  readonly children: ReactNode;
}

function Banner({ title, text, children }: BannerProps) {
  return (
    <section role="alert" className="flex gap-3 border-b border-caution/50 bg-caution-soft px-4 py-3 text-sm">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-caution" />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          <p className="font-medium">{title}</p>
          <p className="break-words text-ink-soft">{text}</p>
        </div>
        <div className="flex flex-wrap items-center gap-2">{children}</div>
      </div>
    </section>
  );
}

/** Sets the port for good: clients keep the address that they were given. */
export function PortForm({ port, onSaved }: { port: number; onSaved?: () => void }) {
  const t = portMessages();
  const [text, setText] = useState(String(port));
  const { ask, isBusy } = useOutcome();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await ask(getDesktop()?.changeSettings({ port: Number(text) }), t.saved)) onSaved?.();
  };
  return (
    <form className="flex items-center gap-2" onSubmit={(event) => void submit(event)}>
      <input
        type="number"
        required
        min={1024}
        max={65_535}
        aria-label={t.port}
        className="field figures w-28"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={Number(text) === port} isBusy={isBusy}>
        {t.savePort}
      </Button>
    </form>
  );
}
