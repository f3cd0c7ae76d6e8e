/** Use with `ref`: scrolls to an element that has just appeared, such as an error below a long form. */
export function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}
