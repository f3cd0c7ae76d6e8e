import { setImmediate } from 'node:timers/promises';

/** Turns are cheap: a thousand of them may pass before a thread of a busy machine has written one file. */
const LIMIT_MS = 10_000;

/** Lets turns of the event loop pass until `find` finds something, and returns it. Throws after ten seconds. */
export async function until<Found>(
  find: () => Found | Promise<Found>,
  describe: () => string | Promise<string> = () => 'It does not become true',
): Promise<NonNullable<Exclude<Found, false>>> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== null && found !== false) return found as NonNullable<Exclude<Found, false>>;
    if (performance.now() > deadline) throw new Error(await describe());
    await setImmediate();
  }
}
