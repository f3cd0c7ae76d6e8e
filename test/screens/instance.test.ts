import { hostname } from 'node:os';

import { expect, test } from 'vitest';

import { launchUi, skipped } from '../e2e/launch-ui.ts';

test.skipIf(skipped !== undefined)(
  'the settings say how the gateway is, what it keeps things in, and which process of which version responds',
  async () => {
    const ui = await launchUi({ isEmpty: true });
    try {
      const { page, check, problems } = await ui.open('#/settings');
      const section = page.getByRole('region', { name: 'This gateway' });
      await expect.poll(() => section.innerText()).toMatch(/Version\s+\d+\.\d+\.\d+/);
      const told = await section.innerText();
      expect(told).toMatch(/State\s+Running · takes calls/);
      expect(told).toMatch(/Kept in\s+JSON files in\s+\S+gateway-e2e-/);
      expect(told).toMatch(/Shared by\s+nothing: this process is alone/);
      expect(told).toMatch(new RegExp(`Process\\s+${hostname()}, process \\d+`));
      expect([...problems, ...(await check())]).toEqual([]);
    } finally {
      await ui.close();
    }
  },
  60_000,
);
