import type { ReactNode } from 'react';

import { Spinner } from '../controls/button.tsx';
import { partMessages } from '../part-messages.ts';

/** Where a list has nothing to show: why, and what to do about it. */
export function EmptyState({ icon, title, children }: { icon?: ReactNode; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center justify-center gap-2 px-6 py-14 text-center">
      {icon !== undefined && <div className="rounded-full bg-raised p-3 text-ink-faint">{icon}</div>}
      <p className="font-medium">{title}</p>
      <div className="flex max-w-md flex-col items-center gap-3 text-sm text-ink-faint">{children}</div>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div role="status" className="flex items-center justify-center gap-2 px-6 py-14 text-sm text-ink-faint">
      <Spinner /> {partMessages().loading(what)}
    </div>
  );
}

/** The title of a screen, with what can be done there. */
export function ScreenHeader({ title, note, children }: { title: string; note?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-2">
      {/* A name alone leaves the rest of a narrow row to the buttons. */}
      <div className={note === undefined ? 'min-w-0 flex-auto' : 'min-w-0 flex-1 basis-52'}>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {note !== undefined && <p className="max-w-3xl text-sm text-ink-faint">{note}</p>}
      </div>
      {children !== undefined && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </header>
  );
}
