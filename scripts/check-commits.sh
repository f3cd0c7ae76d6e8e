#!/usr/bin/env bash
# Refuses new commits whose subjects are not as CONTRIBUTING.md describes them, and merges.
set -euo pipefail

# The last commit before the rule.
since=f4e632017983
if ! git cat-file -e "$since^{commit}" 2>/dev/null; then
  echo "The history does not reach back to $since: its commits are not checked." >&2
  exit 0
fi
commitlint --from "$since" --to HEAD
merges=$(git log --merges --format='%h %s' "$since..HEAD")
if [ -n "$merges" ]; then
  printf 'Topic branches are rebased, not merged:\n%s\n' "$merges" >&2
  exit 1
fi
