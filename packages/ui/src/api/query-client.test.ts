import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

import { followChanges, queryClient, recoverQueries } from './query-client.ts';

beforeEach(() => {
  vi.stubGlobal('document', { hidden: false, baseURI: 'http://gateway.example/ui/' });
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('location', { protocol: 'http:' });
});
afterEach(() => {
  queryClient.clear();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const respond = (status: number): Response => Response.json(status === 200 ? {} : { error: {} }, { status });

test.each([
  [503, false],
  [500, false],
  [403, true],
  [200, true],
])(
  'where the database seems away and a question is answered by %i, all is loaded again: %s',
  async (status, isBack) => {
    vi.useFakeTimers();
    vi.stubGlobal('fetch', () => Promise.resolve(respond(status)));
    const { ApiError } = await import('./api-error.ts');
    let loads = 0;
    const observer = new QueryObserver(queryClient, {
      queryKey: ['spend'],
      retry: false,
      queryFn: () => {
        loads++;
        return Promise.reject(new ApiError('away', { status: 503, errorType: 'provider_overloaded' }));
      },
    });
    onTestFinished(observer.subscribe(() => undefined));
    recoverQueries();
    await vi.advanceTimersByTimeAsync(3500);
    expect(loads).toBe(isBack ? 2 : 1);
  },
);

test('what users change is loaded again when another page has changed something, and calls are not', async () => {
  const changed = ['alarms', 'budget-raises', 'call-limits', 'groups', 'keys', 'rate-limits', 'reruns', 'workspaces'];
  for (const name of [...changed, 'generations']) queryClient.setQueryData([name], []);
  const areInvalid = (names: readonly string[]) =>
    names.filter((name) => queryClient.getQueryState([name])?.isInvalidated === true);
  followChanges();
  const otherPage = new BroadcastChannel('model-gateway');
  onTestFinished(() => otherPage.close());
  otherPage.postMessage('changed');
  await expect.poll(() => areInvalid(changed)).toEqual(changed);
  expect(areInvalid(['generations'])).toEqual([]);
});
