import { hostname } from 'node:os';

import { expect, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';

test.skipIf(skipped !== undefined)(
  'the settings show the health of the gateway, its storage, and which process of which version responds',
  async () => {
    const ui = await launchUi({ isEmpty: true });
    try {
      const { page, check, problems } = await ui.open('#/settings?section=gateway');
      const section = page.getByRole('region', { name: 'This gateway' });
      // What it says comes from several questions to the gateway, in whatever order they are answered.
      for (const told of [
        /Version\s+\d+\.\d+\.\d+/,
        /State\s+Running/,
        /Storage\s+JSON files in\s+\S+gateway-e2e-/,
        /Shared state\s+none \(single process\)/,
        new RegExp(`Process\\s+${hostname()}, process \\d+`),
      ])
        await expect.poll(() => section.innerText()).toMatch(told);
      expect([...problems, ...(await check())]).toEqual([]);
    } finally {
      await ui.close();
    }
  },
  60_000,
);
