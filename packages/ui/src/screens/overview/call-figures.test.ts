import { expect, test } from 'vitest';

import { parseOpenCalls } from './overview-screen.tsx';

test('reads the open calls from the metrics', () => {
  const metrics = '# TYPE model_gateway_open_calls gauge\nmodel_gateway_open_calls 3\nmodel_gateway_open_streams 2\n';
  expect(parseOpenCalls(metrics)).toEqual({ all: 3, streamed: 2 });
  expect(parseOpenCalls('model_gateway_open_calls 3\n')).toBeNull();
});
