#!/usr/bin/env bash
# Compiles every shader beside it to SPIR-V: into spv/, or into the folder given. The only place that knows the flags.
#
# -fhlsl-functionality1 keeps the semantics: without it reflection finds none. vulkan1.1 is the newest target for which
# glslc accepts these resource types from HLSL. Optimisation off: the arithmetic stays as written.
# Made with: glslc of shaderc 2023.2 (Debian 12).
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-spv}
mkdir -p "$out"
for source in *.vert.hlsl *.frag.hlsl; do
    name=${source%.hlsl}
    stage=${name##*.}
    glslc -x hlsl -fshader-stage="$stage" -fhlsl-functionality1 --target-env=vulkan1.1 -O0 -I . \
        -o "$out/$name.spv" "$source"
done
