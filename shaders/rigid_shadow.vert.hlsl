// Depth from the light: POSITION0 x the palette's first entry x the first view-projection.
#include "include/draw.hlsli"

float4 main(float3 position : POSITION0, uint vertex : SV_VertexID, uint number : SV_InstanceID) : SV_Position
{
    uint instance = number - draw.first_instance;
    float3 world = apply(palette_entry(first_entry(instance)), float4(position, 1.0));
    float4 clip_position = clip(0, world);
    store(output_start(vertex, instance, 4), clip_position);
    return clip_position;
}
