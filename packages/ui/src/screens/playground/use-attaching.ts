import { type ClipboardEvent, type DragEvent, useState } from 'react';

import { type Attachment, findFileProblem, toAttachment } from '../../features/playground/attachments.ts';
import { showToast, showFailure } from '../../parts/messages/toast-store.ts';
import { readDataUrl } from '../../parts/read-data-url.ts';
import { playgroundMessages } from './messages.tsx';

/** Takes files that are chosen, dropped or pasted; says what is wrong with those that cannot be taken. */
export function useAttaching(attached: readonly Attachment[], onRead: (read: readonly Attachment[]) => void) {
  const [isOver, setIsOver] = useState(false);
  const add = async (files: readonly File[]): Promise<void> => {
    const problem = findFileProblem(files, attached);
    if (problem !== undefined) return showToast({ tone: 'bad', title: problem });
    try {
      onRead(await Promise.all(files.map(async (file) => toAttachment(file, toBase64(await readDataUrl(file))))));
    } catch (error) {
      showFailure(playgroundMessages().actions.fileNotRead, error);
    }
  };
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer.types.includes('Files');
  return {
    add: (files: readonly File[]) => void add(files),
    /** Files are held over the page. */
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!hasFiles(event)) return;
        // Without it the browser would leave the page and open the file.
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave(event: DragEvent) {
        if (event.relatedTarget === null || !event.currentTarget.contains(event.relatedTarget as Node))
          setIsOver(false);
      },
      onDrop(event: DragEvent) {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(false);
        void add([...event.dataTransfer.files]);
      },
      onPaste(event: ClipboardEvent) {
        const files = [...event.clipboardData.files];
        if (files.length === 0) return;
        event.preventDefault();
        void add(files);
      },
    },
  };
}

const toBase64 = (dataUrl: string): string => dataUrl.slice(dataUrl.indexOf(',') + 1);
