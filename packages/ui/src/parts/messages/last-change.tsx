import { Button } from '../controls/button.tsx';
import { partMessages } from '../part-messages.ts';

/** Says the last change made in a dialog, and takes it back. */
export function LastChange({ text, onUndo }: { text: string | undefined; onUndo: () => void }) {
  return (
    <p role="status" className="mt-3 flex min-h-8 items-center gap-2 text-sm text-ink-soft">
      {text !== undefined && (
        <>
          <span className="min-w-0 truncate">{text}</span>
          <Button look="quiet" className="text-accent" onClick={onUndo}>
            {partMessages().actions.undo}
          </Button>
        </>
      )}
    </p>
  );
}
