import { parentPort, workerData } from 'node:worker_threads';

import { htmlToPage, pdfToPages, type ReadingTask } from './reading.ts';

// In a function, because the single executable has this file as CommonJS, where no module awaits.
async function read(task: ReadingTask): Promise<void> {
  parentPort?.postMessage(task.kind === 'html' ? await htmlToPage(task.html) : await pdfToPages(task.bytes));
}

read(workerData as ReadingTask).catch((error: unknown) => {
  // Thrown outside of the promise, it ends the thread, and the waiting reader receives the error itself.
  setImmediate(() => {
    throw error;
  });
});
