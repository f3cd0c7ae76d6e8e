/** Where a key takes the cursor of a list; null for keys that do not move it. */
export function moveCursor(key: string, at: number, count: number, pageSize: number): number | null {
  const clamp = (index: number): number => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return clamp(at + 1);
    case 'ArrowUp':
    case 'k':
      return clamp(at - 1);
    case 'PageDown':
      return clamp(at + pageSize);
    case 'PageUp':
      return clamp(at - pageSize);
    case 'Home':
      return clamp(0);
    case 'End':
      return clamp(count - 1);
    default:
      return null;
  }
}
