import { X } from 'lucide-react';
import type { ReactNode } from 'react';

import { useShortcut } from '../shell/shortcuts.ts';
import { Button } from './button.tsx';

interface SidePanelProps {
  readonly title: ReactNode;
  /** Read out as the name of the panel. */
  readonly label: string;
  readonly onClose: () => void;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What belongs to the row at hand: beside the list, or over it where the window is narrow. */
export function SidePanel({ title, label, onClose, actions, children }: SidePanelProps) {
  const close = (): void => {
    onClose();
    // Back to where one came from, so that the keys go on working there.
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  useShortcut({ keys: 'Escape', label: 'Close the panel', group: 'This screen' }, close);
  return (
    <section
      aria-label={label}
      className="fixed inset-0 z-30 flex flex-col border-line bg-surface lg:static lg:z-auto lg:w-[min(46%,44rem)] lg:shrink-0 lg:border-l"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-40">{title}</div>
        {actions !== undefined && (
          <div className="order-3 flex w-full flex-wrap items-center gap-2 sm:order-2 sm:w-auto">{actions}</div>
        )}
        <div className="order-2 sm:order-3">
          <Button look="quiet" aria-label="Close the panel" icon={<X size={16} aria-hidden />} onClick={close} />
        </div>
      </header>
      <div className="flex min-h-0 flex-1 flex-col overflow-hidden">{children}</div>
    </section>
  );
}
