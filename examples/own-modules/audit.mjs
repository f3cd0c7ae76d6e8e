import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// A destination that writes a line for each call. No call waits for it, and an error of it is logged.
export async function createDestination({ file }) {
  const lines = await open(resolve(process.env.AUDIT_DIR ?? dirname(fileURLToPath(import.meta.url)), file), 'a');
  return {
    async onGeneration({ generation: { id, model, total_cost: cost } }) {
      await lines.appendFile(`${JSON.stringify({ id, model, cost })}\n`);
    },
    close: () => lines.close(),
  };
}
