// Depth from the light: POSITION0 skinned with cbObjMatrix x the first view-projection.
#include "include/draw.hlsli"
#include "include/skin.hlsli"

float4 main(float3 position : POSITION0, uint4 indices : BLENDINDICES0, float4 weights : BLENDWEIGHT0,
            uint vertex : SV_VertexID, uint number : SV_InstanceID) : SV_Position
{
    uint instance = number - draw.first_instance;
    float3 world = skinned_point(entries(indices, first_entry(instance)), weights, position);
    float4 clip_position = clip(0, world);
    store(output_start(vertex, instance, 4), clip_position);
    return clip_position;
}
