import { createSearchEngine, type SearchEngineName, type WebAccess } from '@model-gateway/core';

import { createGuardedTransport } from '../guarded/guarded-transport.ts';
import { createReadInWorker } from './read-in-worker.ts';

export interface WebAccessOptions {
  /** Limit on look-up, connection and TLS handshake together. Default 10 s. */
  readonly connectTimeoutMs?: number | undefined;
  /** The engine that searches the web. Default: none. */
  readonly search?:
    | {
        readonly engine: SearchEngineName;
        /** Default: the engine's public address; SearXNG has none. */
        readonly baseUrl?: string | undefined;
        readonly apiKey?: string | undefined;
      }
    | undefined;
}

/** Creates the access to the web for server tools and plugins: public addresses only, and text from pages and PDFs. */
export function createWebAccess({ connectTimeoutMs, search }: WebAccessOptions = {}): WebAccess {
  // The engine's address is the operator's choice, and often on the same machine.
  const toEngine = createGuardedTransport({ connectTimeoutMs, allowPrivateNetwork: true });
  const readInWorker = createReadInWorker();
  return {
    transport: createGuardedTransport({ connectTimeoutMs }),
    readHtml: (html) => readInWorker({ kind: 'html', html }),
    readPdf: (bytes) => readInWorker({ kind: 'pdf', bytes }),
    searchEngine: search && createSearchEngine(search.engine, { ...search, transport: toEngine }),
  };
}
