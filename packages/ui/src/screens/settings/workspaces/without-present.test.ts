import { expect, test } from 'vitest';

import { withoutPresent } from './workspace-queries.ts';

test('leaves out those who have been added to a workspace meanwhile, who keep their roles', () => {
  expect(withoutPresent(['ada', 'ben'], [{ user_id: 'ben' }, { user_id: 'eve' }])).toEqual(['ada']);
});
