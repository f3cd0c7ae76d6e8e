/** `2 keys and 1 member`; null for none of either. */
export function describeSubjects(keys: number, members: number): string | null {
  const counts = [
    ...(keys > 0 ? [`${keys} ${keys === 1 ? 'key' : 'keys'}`] : []),
    ...(members > 0 ? [`${members} ${members === 1 ? 'member' : 'members'}`] : []),
  ];
  return counts.length === 0 ? null : counts.join(' and ');
}
