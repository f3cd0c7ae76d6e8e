import { expect, test } from 'vitest';

import { newExperiment } from '../../../features/playground/experiment.ts';
import { addTurns } from '../experiment/edit-turns.ts';
import { limitMedia } from './limit-media.ts';

let made = 0;
const newId = (): string => `id${(made += 1)}`;
const file = (name: string, size: number) => ({ name, kind: 'image' as const, url: 'x'.repeat(size), bytes: size });

test('leaves out the largest first, and no more than has to be', () => {
  const empty = newExperiment(['a/a'], newId);
  const attached = [file('small.png', 10), file('large.png', 500)];
  const asked = addTurns(
    { ...empty, attached: [file('next.png', 100)] },
    [empty.columns[0]?.id ?? ''],
    [{ type: 'user', id: 'u1', text: 'Hi', attached, kept: [] }],
  );
  expect(limitMedia(asked, 1000)).toEqual({ experiment: asked, leftOut: [] });
  const { experiment, leftOut } = limitMedia(asked, 200);
  expect(leftOut).toEqual(['large.png']);
  expect(experiment.columns[0]?.turns[0]).toMatchObject({
    attached: [{ url: 'x'.repeat(10) }, { name: 'large.png', url: '' }],
  });
  expect(experiment.attached[0]?.url).toHaveLength(100);
  expect(limitMedia(asked, 5).leftOut).toEqual(['large.png', 'next.png', 'small.png']);
});
