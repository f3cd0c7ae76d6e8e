// A filter that keeps names of projects from models, and refuses completions that know one all the same.
export function createFilter({ names }) {
  const findIn = (text) => names.filter((name) => text.includes(name));
  return {
    input(text) {
      const found = findIn(text);
      if (found.length === 0) return undefined;
      return { replace: found.reduce((left, name) => left.replaceAll(name, '[project]'), text) };
    },
    output: (text) => (findIn(text).length === 0 ? undefined : { block: 'it names a project' }),
  };
}
