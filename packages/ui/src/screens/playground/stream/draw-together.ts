/** Everything that waits for the next drawing. */
let waiting: (() => void)[] = [];

/** Frames per drawing: about fifteen drawings a second on most screens. A higher rate would not be noticed in text. */
const FRAMES = 4;

/**
 * Calls back in the fourth frame from now, together with all others that wait: completions that come side by side are
 * laid out in one go. Rests while the page is hidden.
 */
export function drawTogether(callback: () => void): void {
  waiting.push(callback);
  if (waiting.length === 1) passFrames(FRAMES);
}

function passFrames(left: number): void {
  requestAnimationFrame(() => (left > 1 ? passFrames(left - 1) : drawAll()));
}

function drawAll(): void {
  const due = waiting;
  waiting = [];
  for (const each of due) each();
}
