import { describe, expect, test } from 'vitest';

import { missingRedis } from './support/engines.ts';
import { eventually } from './support/eventually.ts';
import { openRedisShared } from './support/open-redis-shared.ts';
import { startOwnRedis } from './support/own-servers.ts';

async function openChannel(url: string) {
  const { parts } = await openRedisShared({ url, whenDown: 'open' });
  const heard: string[] = [];
  const channel = parts.openChannel?.('news');
  channel?.subscribe((text) => void heard.push(text));
  return { heard, publish: (text: string) => channel?.publish(text) };
}

describe.skipIf(missingRedis)('Gateways with one Redis', () => {
  test('hear nothing of each other where each has a database of its own', async () => {
    const { url } = await startOwnRedis();
    const [first, second] = [new URL('/1', url).href, new URL('/2', url).href];
    const [one, otherOne] = [await openChannel(first), await openChannel(first)];
    const [two, otherTwo] = [await openChannel(second), await openChannel(second)];
    otherOne.publish('from the first');
    await eventually(() => expect(one.heard).toEqual(['from the first']));
    otherTwo.publish('from the second');
    await eventually(() => expect(two.heard.at(-1)).toBe('from the second'));
    expect(two.heard).toEqual(['from the second']);
  });
});
