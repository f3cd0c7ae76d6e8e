/** Everything that waits for the next drawing. */
let waiting: (() => void)[] = [];

/** Frames per drawing: about fifteen drawings a second on most screens. A higher rate would not be noticed in text. */
const FRAMES = 4;

/** Calls back in the fourth frame with all who wait: parallel completions are laid out at once. Rests while hidden. */
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
