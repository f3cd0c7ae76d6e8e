#!/usr/bin/env bash
# Replaces the gateways by those of a new image, one after the other, without breaking a stream: nginx sends a gateway
# no new calls, its open ones end, and only then the next one's turn comes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

reload() { docker compose exec nginx nginx -c /etc/nginx/gateway/nginx.conf -s reload; }

# Marks the line of a gateway as `down`, or takes the mark away. The file is written in place without `sed -i`, which GNU
# and BSD read differently.
mark() {
  local edited
  edited=$(sed -E "/# $1\$/ s/^(server [^ ]+)( down)?/\1$2/" nginx/upstream.conf)
  printf '%s\n' "$edited" > nginx/upstream.conf
}

docker compose run --rm migrate
for name in gateway-1 gateway-2 gateway-3; do
  mark "$name" ' down'
  reload
  docker compose up --detach --no-deps --force-recreate --wait "$name"
  mark "$name" ''
  reload
done
