#!/bin/sh
# Makes the secrets that compose.yaml mounts, in the folder beside this file. Existing ones are kept.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets

keep() { # name, content
  [ -e "secrets/$1" ] && return
  printf '%s\n' "$2" > "secrets/$1"
  # Other users read it inside the containers; outside, the folder's mode protects it.
  chmod 0644 "secrets/$1"
}

keep database-password "$(openssl rand -hex 24)"
keep database-url "postgres://botyard:$(cat secrets/database-password)@database:5432/botyard"
keep secret-key "$(openssl rand -base64 32)"
keep owner-jwt-secret "$(openssl rand -base64 48)"
echo "The secrets are in $(pwd)/secrets: keep a copy in a safe place." >&2
