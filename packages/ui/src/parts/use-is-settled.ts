import { useEffect, useState } from 'react';

/** After the page has come to rest: a click that was waiting goes first. */
const AFTER_MS = 100;
const AT_LATEST_MS = 2000;

/** Whether the page has come to rest since the caller appeared: slow parts of lesser importance wait for it. */
export function useIsSettled(): boolean {
  const [isSettled, setIsSettled] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (): void => {
      timer = setTimeout(() => setIsSettled(true), AFTER_MS);
    };
    // Not every browser tells when it is idle.
    const idle = globalThis.requestIdleCallback?.(settle, { timeout: AT_LATEST_MS });
    if (idle === undefined) settle();
    return () => {
      if (idle !== undefined) cancelIdleCallback(idle);
      clearTimeout(timer);
    };
  }, []);
  return isSettled;
}
