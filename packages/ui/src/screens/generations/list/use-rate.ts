import { useEffect, useEffectEvent, useRef, useState } from 'react';

const MINUTE_MS = 60_000;
const REFRESH_MS = 2000;

/** Counts what happens in a minute, of one list at a time: of another one it begins anew. */
export function useRate(listId: string): { readonly perMinute: number; readonly note: (count: number) => void } {
  const noted = useRef<{ readonly atMs: number; readonly count: number }[]>([]);
  const [perMinute, setPerMinute] = useState(0);
  const refresh = useEffectEvent(() => {
    const since = Date.now() - MINUTE_MS;
    noted.current = noted.current.filter(({ atMs }) => atMs >= since);
    setPerMinute(noted.current.reduce((sum, { count }) => sum + count, 0));
  });
  useEffect(() => {
    noted.current = [];
    setPerMinute(0);
    const timer = setInterval(() => refresh(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [listId]);
  const note = (count: number): void => {
    if (count === 0) return;
    noted.current.push({ atMs: Date.now(), count });
    setPerMinute((before) => before + count);
  };
  return { perMinute, note };
}
