import { TriangleAlert } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';

import { getDesktop, useDesktopInfo } from '../app/desktop.ts';
import { Button } from '../parts/controls/button.tsx';
import { useOutcome } from '../parts/messages/toast-store.ts';

const ADVICE = {
  taken: 'Quit that program and try again, or let the gateway use another port.',
  denied: 'This port is reserved by the system. Choose another one.',
  other: 'Try again, or choose another port.',
} as const;

/** Says under the desktop app why other programs cannot call the gateway, with the ways out. Else nothing. */
export function PortBanner() {
  const info = useDesktopInfo();
  const [isChanging, setIsChanging] = useState(false);
  const { ask, isBusy } = useOutcome();
  if (info === null) return null;
  const { phase, kind, message, port, freePort } = info.state;
  const retry = (at: number | null): void => void ask(getDesktop()?.retryPort(at));
  if (phase === 'paused')
    return (
      <Banner title="The gateway is paused" text="Clients can’t call it. This window still works.">
        <Button onClick={() => retry(null)}>Resume</Button>
      </Banner>
    );
  if (phase === 'failed')
    return (
      <Banner title="The gateway could not start" text={message ?? 'The log says why.'}>
        <Button onClick={() => retry(null)}>Try again</Button>
        <Button look="quiet" onClick={() => void ask(getDesktop()?.openLogs())}>
          Open the logs
        </Button>
      </Banner>
    );
  if (phase !== 'not-listening') return null;
  return (
    <Banner
      title={`Other programs cannot reach the gateway at port ${port ?? info.settings.port}`}
      // Its further lines tell what to type, for those who have started the server from a shell.
      text={`${message?.split('\n')[0] ?? ''} ${ADVICE[kind ?? 'other']} This window still works.`}
    >
      <Button disabled={isBusy} onClick={() => retry(null)}>
        Try again
      </Button>
      {/* Never moved to by itself: programs have the old one. */}
      <Button disabled={isBusy} onClick={() => retry(freePort ?? 0)}>
        Use {freePort ?? 'another port'} this time
      </Button>
      <Button look="quiet" aria-expanded={isChanging} onClick={() => setIsChanging(!isChanging)}>
        Change port
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
  const [text, setText] = useState(String(port));
  const { ask, isBusy } = useOutcome();
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await ask(getDesktop()?.changeSettings({ port: Number(text) }), 'Saved')) onSaved?.();
  };
  return (
    <form className="flex items-center gap-2" onSubmit={(event) => void submit(event)}>
      <input
        type="number"
        required
        min={1024}
        max={65_535}
        aria-label="Port"
        className="field figures w-28"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit" disabled={Number(text) === port} isBusy={isBusy}>
        Save port
      </Button>
    </form>
  );
}
