import { parentPort, workerData } from 'node:worker_threads';

import { htmlToPage } from './html-to-page.ts';
import { pdfToPages } from './pdf-to-pages.ts';
import type { ReadingTask } from './reading.ts';

const task = workerData as ReadingTask;

// Whatever is thrown ends the thread, and whoever waits for it hears of that.
parentPort?.postMessage(task.kind === 'html' ? await htmlToPage(task.html) : await pdfToPages(task.bytes));
