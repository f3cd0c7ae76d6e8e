import { expect, test } from 'vitest';

import { createRequestHandler } from '../../desktop/src/gateway/handle-requests.ts';
import type { FromGateway } from '../../desktop/src/shared/gateway-messages.ts';
import { ROUTES } from '../../packages/core/src/api/routes.ts';
import { createCoreGateway } from '../support/gateways/core-gateway.ts';
import { createReplayTransport } from '../support/upstreams/scripted-transport.ts';

test.each(ROUTES.map(({ method, path }) => [method, path] as const))(
  'the window of the desktop app is refused nothing for its kind of key: %s %s',
  async (method, path) => {
    const { gateway } = createCoreGateway(createReplayTransport({ status: 503, pieces: [] }));
    const head = await new Promise<FromGateway>((post) => {
      const body = new TextEncoder().encode('{}');
      const request = { type: 'request', id: 1, method, path, query: '', headers: {}, body } as const;
      createRequestHandler(gateway, post).respond(request);
    });
    expect(head).toMatchObject({ type: 'head', status: expect.not.toBeOneOf([401, 403]) as number });
  },
);
