/**
 * Makes all of the page but one element unreachable by keys and screen readers; the returned function ends that. For
 * what must stay on the page, where menus and messages open: a modal `<dialog>` would lie above those.
 */
export function trapFocus(element: HTMLElement): () => void {
  const covered: HTMLElement[] = [];
  const { body } = document;
  for (let at = element; at.parentElement !== null && at.parentElement !== body; at = at.parentElement) {
    for (const other of at.parentElement.children) {
      const isLeft = other === at || !(other instanceof HTMLElement) || other.inert;
      // Messages stay within reach: one may offer to undo what was done.
      if (isLeft || other.querySelector('[data-messages]') !== null) continue;
      other.inert = true;
      covered.push(other);
    }
  }
  return () => {
    for (const other of covered) other.inert = false;
  };
}
