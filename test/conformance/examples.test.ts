import { test } from 'vitest';

import { checkExample } from '../support/conformance/examples.ts';

// Those of frameworks that the workspace does not have are in test/hosts.
test.each(['express-app/server.mjs', 'express-app/server.cjs', 'fetch-host/server.mjs', 'node-http/server.mjs'])(
  'the example %s serves its own page beside the API, streamed and not, and ends when told',
  checkExample,
  20_000,
);
