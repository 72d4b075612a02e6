#!/bin/bash
# Makes d3.min.js and LICENSE.txt anew from the packages that package.json names, which are D3's own modules for
# layout, zoom and drag. Both are committed: building the extension needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp package.json "$work"
npm install --prefix "$work" --no-package-lock --no-audit --no-fund --silent
modules=$(node -p 'Object.keys(require("./package.json").dependencies).join(" ")')
for module in $modules; do
    cat "$work/node_modules/$module/dist/$module.min.js"
    echo
done >d3.min.js
{
    echo "d3-ease:"
    cat "$work/node_modules/d3-ease/LICENSE"
    echo
    echo "${modules// /, } but d3-ease:"
    cat "$work/node_modules/d3-force/LICENSE"
} >LICENSE.txt
