import { parentPort, workerData } from 'node:worker_threads';

import { htmlToPage } from './html-to-page.ts';
import { pdfToPages } from './pdf-to-pages.ts';
import type { ReadingTask } from './reading.ts';

const task = workerData as ReadingTask;

// A thrown error ends the thread, and the waiting reader receives it.
parentPort?.postMessage(task.kind === 'html' ? await htmlToPage(task.html) : await pdfToPages(task.bytes));
