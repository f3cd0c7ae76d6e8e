import { CircleAlert, CircleCheck, Info, X } from 'lucide-react';
import { Toast } from 'radix-ui';

import { Button } from '../controls/button.tsx';
import { partMessages } from '../part-messages.ts';
import { dismissToast, useToasts } from './toast-store.ts';

const ICONS = {
  good: <CircleCheck size={18} className="text-good" />,
  bad: <CircleAlert size={18} className="text-bad" />,
  neutral: <Info size={18} className="text-accent" />,
};
const SHOWN_MS = 4000;
/** Time for a message that offers an action. */
const SHOWN_WITH_ACTION_MS = 12_000;

export function Toasts() {
  const toasts = useToasts();
  const t = partMessages();
  return (
    <Toast.Provider label={t.toasts.message} swipeDirection="right" duration={SHOWN_MS}>
      {toasts.map(({ id, tone, title, detail, action }) => (
        <Toast.Root
          key={id}
          duration={tone === 'bad' ? Number.POSITIVE_INFINITY : action === undefined ? SHOWN_MS : SHOWN_WITH_ACTION_MS}
          onOpenChange={(isOpen) => {
            if (!isOpen) dismissToast(id);
          }}
          className="card flex items-start gap-3 p-3 shadow-xl"
        >
          <span className="mt-0.5">{ICONS[tone]}</span>
          <div className="min-w-0 flex-1">
            <Toast.Title className="text-sm font-medium">{title}</Toast.Title>
            {detail !== undefined && (
              <Toast.Description className="max-h-24 overflow-auto text-xs break-words text-ink-soft">
                {detail}
              </Toast.Description>
            )}
          </div>
          {action !== undefined && (
            <Toast.Action asChild altText={t.toasts.actionHint(action.label)}>
              <Button look="quiet" className="text-accent" onClick={action.run}>
                {action.label}
              </Button>
            </Toast.Action>
          )}
          <Toast.Close
            aria-label={t.actions.dismiss}
            className="rounded p-1 text-ink-faint hover:bg-raised hover:text-ink"
          >
            <X size={16} />
          </Toast.Close>
        </Toast.Root>
      ))}
      <Toast.Viewport
        data-messages
        label={t.toasts.region('F8')}
        className="fixed right-4 bottom-4 z-50 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2"
      />
    </Toast.Provider>
  );
}
