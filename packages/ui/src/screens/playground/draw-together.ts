/** Everything that waits for the next drawing. */
let waiting: (() => void)[] = [];

/** Between drawings. A higher rate would not be noticed in text, and reading what comes as Markdown takes time. */
const DRAW_EVERY_MS = 100;

/**
 * Calls back in the first frame after a tenth of a second, together with all others that wait: completions that come
 * side by side are laid out in one go. Rests while the page is hidden.
 */
export function drawTogether(callback: () => void): void {
  waiting.push(callback);
  if (waiting.length === 1) passFrames(null);
}

function passFrames(begunAt: number | null): void {
  requestAnimationFrame((now) => {
    const from = begunAt ?? now;
    if (now - from < DRAW_EVERY_MS) passFrames(from);
    else drawAll();
  });
}

function drawAll(): void {
  const due = waiting;
  waiting = [];
  for (const each of due) each();
}
