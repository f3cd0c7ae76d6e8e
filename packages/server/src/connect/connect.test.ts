import { expect, test } from 'vitest';

import { connect } from './connect.ts';

const OPTIONS = { action: 'show', model: undefined, limitUsd: undefined, url: undefined, json: false } as const;
const NO_STORE = { dataDir: undefined, config: undefined };

test('names the tool that was probably meant, and all that there are', async () => {
  const refused = connect({ ...NO_STORE, ...OPTIONS, tool: 'codx' });
  await expect(refused).rejects.toThrow(
    /^There is no tool "codx"\. Did you mean "codex"\? These are known:\n\n {2}claude-code/,
  );
});
