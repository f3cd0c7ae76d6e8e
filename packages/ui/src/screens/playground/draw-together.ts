/** Everything that waits for the next drawing. */
let waiting: (() => void)[] = [];

/**
 * Calls back in the frame after the next, together with all others that wait: thirty times a second is as often as anybody
 * sees words appear, and answers that come side by side are laid out in one go. Rests while the page is hidden.
 */
export function drawTogether(callback: () => void): void {
  waiting.push(callback);
  if (waiting.length > 1) return;
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const due = waiting;
      waiting = [];
      for (const each of due) each();
    }),
  );
}
