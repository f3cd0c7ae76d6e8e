import { showToast } from './toast-store.ts';

interface Undoable {
  readonly title: string;
  /** Makes it as it was. What it rejects with is shown. */
  readonly undo: () => Promise<unknown>;
  /** What is said then. */
  readonly undone: string;
}

/** Says that something was changed, and offers to take it back. */
export function showUndo({ title, undo, undone }: Undoable): void {
  const run = async (): Promise<void> => {
    try {
      await undo();
      showToast({ tone: 'neutral', title: undone });
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      showToast({ tone: 'bad', title: 'It could not be taken back', detail });
    }
  };
  showToast({ tone: 'good', title, action: { label: 'Undo', run: () => void run() } });
}
