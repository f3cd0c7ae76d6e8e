/** Whether a text is as a pattern says, in which `*` stands for any characters. Takes linear time in most cases. */
export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const [head = '', ...others] = parts;
  if (others.length === 0) return text === pattern;
  const tail = others.pop() ?? '';
  if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false;
  let at = head.length;
  const end = text.length - tail.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
