/** For `ref`: brings what has just appeared into sight, as an error below a long form. */
export function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
