import { expect, test } from 'vitest';

import { startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { respondWell, type RawRequest, startRawUpstream, toRawResponse } from '../support/upstreams/raw-upstream.ts';

const CALLS = 25;
/** What the retry budget lets through. */
const FIRST = 10;

test.each([false, true])(
  '221: when the clients leave whose calls others wait for, the others get the response of the second endpoint (stream: %s)',
  async (stream) => {
    const failing: RawRequest[] = [];
    const first = await startRawUpstream((request) => {
      failing.push(request);
      if (failing.length < CALLS) return;
      for (const { socket } of failing) socket.write(toRawResponse(500, '{"error":{"message":"down"}}'));
    });
    let asks = 0;
    const clients = Array.from({ length: CALLS }, () => new AbortController());
    const second = await startRawUpstream((request) => {
      asks += 1;
      if (asks > FIRST) respondWell(request, 'Second');
      // The clients of the calls that are under way leave before any has a response.
      if (asks !== FIRST) return;
      for (const { body } of second.requests) clients[Number(/client-(\d+)/.exec(body)?.[1])]?.abort();
    });
    const { ask } = await startFaultGateway([first, second]);
    const responses = await Promise.all(
      clients.map(async ({ signal }, number) => {
        const messages = [{ role: 'user', content: `client-${number}` }];
        const response = await ask({ stream, messages }, { signal }).catch(() => undefined);
        return response && { status: response.status, text: await response.text() };
      }),
    );
    const served = responses.filter((response) => response !== undefined);
    expect(served.map(({ status }) => status)).toEqual(Array.from({ length: CALLS - FIRST }, () => 200));
    for (const { text } of served) expect(text).toContain('Second');
  },
);
