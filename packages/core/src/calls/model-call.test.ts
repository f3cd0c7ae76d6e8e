import { expect, test } from 'vitest';

import { createVirtualPlatform, VIRTUAL_EPOCH_MS } from '../../../../test/support/async/virtual-platform.ts';
import { chatKind } from '../chat/chat-kind.ts';
import { createGenerationId, createModelCall, withRequest } from './model-call.ts';

test('makes ids of generations that sort by second and never repeat', () => {
  const platform = createVirtualPlatform();
  const ids = Array.from({ length: 3 }, () => createGenerationId(platform));
  for (const id of ids) expect(id).toMatch(new RegExp(`^gen-${VIRTUAL_EPOCH_MS / 1000}-[0-9a-f]{32}$`));
  expect(new Set(ids).size).toBe(3);
});

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN_ID = '00f067aa0ba902b7';

test.each([
  [
    'a trace that it continues',
    `00-${TRACE_ID}-${SPAN_ID}-01`,
    undefined,
    { trace_id: TRACE_ID, parent_span_id: SPAN_ID },
  ],
  ['a later version', `01-${TRACE_ID}-${SPAN_ID}-01-more`, undefined, { trace_id: TRACE_ID, parent_span_id: SPAN_ID }],
  ['beside other fields', `00-${TRACE_ID}-${SPAN_ID}-00`, { team: 'blue' }, { team: 'blue', trace_id: TRACE_ID }],
  ['but the request names its own', `00-${TRACE_ID}-${SPAN_ID}-01`, { trace_id: 'mine' }, { trace_id: 'mine' }],
  ['zeros, which are none', `00-${'0'.repeat(32)}-${SPAN_ID}-01`, undefined, null],
  ['what is no traceparent', 'hello', undefined, null],
])('takes from the header traceparent %s', (_, traceparent, trace, expected) => {
  const request = { model: 'a/b', messages: [{ role: 'user' as const, content: 'x' }], ...(trace && { trace }) };
  const call = createModelCall({
    id: 'gen-1',
    kind: chatKind,
    request,
    principal: { id: 'p', kind: 'api', name: 'p' },
    region: null,
    headers: { traceparent },
  });
  if (expected === null) expect(call.labels.trace).toBeNull();
  else expect(call.labels.trace).toMatchObject(expected);
  expect(withRequest(call, request).labels.trace).toEqual(call.labels.trace);
});
