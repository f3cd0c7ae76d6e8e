import { parentPort, workerData } from 'node:worker_threads';

import type { NativeGate } from '../recognition/native-gate.ts';
import { htmlToPage, pdfToPages, type ReadingResult, type ReadingTask } from './reading.ts';

type GatedTask = ReadingTask & { readonly gate: NativeGate };

// In a function, because the single executable has this file as CommonJS, where no module awaits.
async function read(task: GatedTask): Promise<void> {
  parentPort?.postMessage(await toResult(task));
}

async function toResult(task: GatedTask): Promise<ReadingResult[ReadingTask['kind']]> {
  if (task.kind === 'html') return htmlToPage(task.html);
  if (task.kind === 'pdf') return pdfToPages(task.bytes);
  const { recognisePdf } = await import('../recognition/recognise-text.ts');
  return recognisePdf(task);
}

read(workerData as GatedTask).catch((error: unknown) => {
  // Thrown outside of the promise, it ends the thread, and the waiting reader receives the error itself.
  setImmediate(() => {
    throw error;
  });
});
